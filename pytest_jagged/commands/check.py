"""`jagged check`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_jagged.contracts.environment import EnvironmentProvider
    from pytest_jagged.contracts.settings import InstanceEntry, LimitSettings
    from pytest_jagged.execution.checking import CheckedInstance

    Source = tuple[InstanceEntry, EnvironmentProvider, LimitSettings]

HELP = "prove task instances without any agent, and find their pass-to-pass tests"

__all__ = ["HELP", "add_arguments", "run"]

_ROW = "{:<28} {:>7} {:>12} {:>12} {:>5}  {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "instances",
        nargs="+",
        type=Path,
        metavar="INSTANCE",
        help="an instance folder, or a study file for all instances it names",
    )
    parser.add_argument(
        "--repeats",
        type=_positive,
        default=3,
        metavar="N",
        help="runs of the suite per side, to find flaky tests (default: 3)",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the result there")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def run(options: argparse.Namespace) -> int:
    from pytest_jagged.execution.checking import check_entry

    sources = list(_sources(options.instances))
    print(_ROW.format("instance", "python", "fail-to-pass", "pass-to-pass", "flaky", "verdict"))
    checked: list[CheckedInstance] = []
    for entry, provider, limits in sources:
        results = check_entry(entry, provider, limits, repeats=options.repeats, progress=_progress)
        for result in results:
            _print(result)
            checked.append(result)
    if options.json is not None:
        _write(options.json, checked, options.repeats)
    return 0 if all(result.valid for result in checked) else 1


def _sources(arguments: Sequence[Path]) -> Iterator[Source]:
    """Raises ConfigError for what is neither an instance folder nor a study file."""
    from pytest_jagged.config import load_study
    from pytest_jagged.contracts.settings import InstanceEntry, LimitSettings
    from pytest_jagged.environments.local import LocalProvider
    from pytest_jagged.errors import ConfigError
    from pytest_jagged.execution.study import Study

    for path in arguments:
        if path.is_dir():
            limits = LimitSettings()
            yield InstanceEntry(path=path), LocalProvider(limits), limits
        elif path.is_file():
            settings = load_study(path)
            provider = Study.open(settings, Path()).provider()
            for entry in settings.instances:
                yield entry, provider, settings.limits
        else:
            raise ConfigError(f"{path}: no such folder; name an instance folder or a study file")


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print(result: CheckedInstance) -> None:
    counts: tuple[str, str, str, str] = ("-", "-", "-", "-")
    if result.python is not None:
        counts = (
            result.python,
            str(result.fail_to_pass),
            str(len(result.pass_to_pass)),
            str(len(result.flaky)),
        )
    print(_ROW.format(result.id, *counts, "valid" if result.valid else "INVALID"))
    for problem in result.problems:
        print(f"    {problem}")
    for name in result.flaky:
        print(f"    flaky: {name}")
    if result.lock is not None:
        print(f"    pass-to-pass tests written to {result.lock}")
    sys.stdout.flush()


def _write(path: Path, checked: Sequence[CheckedInstance], repeats: int) -> None:
    from pytest_jagged.records.atomic import write_json

    instances: list[dict[str, Any]] = [
        {
            "id": result.id,
            "valid": result.valid,
            "problems": result.problems,
            "python": result.python,
            "fail_to_pass": result.fail_to_pass,
            "pass_to_pass": result.pass_to_pass,
            "flaky": result.flaky,
        }
        for result in checked
    ]
    write_json(path, {"schema_version": 1, "repeats": repeats, "instances": instances})
