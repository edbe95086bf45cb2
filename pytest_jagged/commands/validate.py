"""`jagged validate`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jagged.errors import ConfigError

if TYPE_CHECKING:
    from pytest_jagged.contracts.instance import Instance
    from pytest_jagged.execution.validation import Validation, Validator

HELP = "run a project's own tests with each transformation applied at every site"

__all__ = ["HELP", "add_arguments", "run"]

_ROW = "{:<28} {:>6} {:>7} {:>8} {:>7} {:>8} {:>8}"
_NAMED = 10
_REASONS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the project's tree")
    parser.add_argument(
        "--test-command",
        required=True,
        metavar="COMMAND",
        help="runs its tests with pytest from the tree's root",
    )
    parser.add_argument(
        "--spt", action="append", metavar="NAME", help="only this one; repeatable (default: all)"
    )
    parser.add_argument(
        "--python",
        type=Path,
        default=Path(sys.executable),
        help="the interpreter that has what the tests need (default: this one)",
    )
    parser.add_argument("--import-root", default=".", metavar="PATH", help="src, for a src layout")
    parser.add_argument(
        "--test-glob",
        action="append",
        default=[],
        metavar="GLOB",
        help="further files that belong to the tests and are not rewritten",
    )
    parser.add_argument("--timeout", type=float, default=1800.0, metavar="S", help="of one suite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", metavar="NAME", help="target of dead_method_injection")
    parser.add_argument("--literal", metavar="TEXT", help="target of dead_string_assignment")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the result there")


def run(options: argparse.Namespace) -> int:
    """Exit 1 when an outcome changed that does not look at source text."""
    from pytest_jagged.transforms.registry import CATALOGUE, find_transformation

    chosen = [find_transformation(name) for name in options.spt or CATALOGUE]
    validator = _validator(options)
    print(
        f"{options.directory}: {len(validator.baseline)} tests, {len(validator.flaky)} flaky,"
        " set apart"
    )
    print(_ROW.format("", "files", "sites", "applied", "tests", "changed", "(source)"))
    found = []
    for transformation in chosen:
        validation = validator.validate(transformation)
        _print(validation)
        found.append(validation)
    if options.json is not None:
        _write(options.json, found)
    return 0 if all(validation.holds for validation in found) else 1


def _validator(options: argparse.Namespace) -> Validator:
    from pytest_jagged.contracts.settings import LimitSettings
    from pytest_jagged.environments.local import LocalProvider
    from pytest_jagged.evaluation.grader import Grader
    from pytest_jagged.execution.validation import Memory, Targets, Validator
    from pytest_jagged.instances.cache import cache_root

    limits = LimitSettings(test_s=options.timeout)
    defaults = Targets()
    targets = Targets(options.method or defaults.method, options.literal or defaults.literal)
    memory = Memory(cache_root() / "validations")
    grader = Grader(LocalProvider(limits), limits)
    return Validator(_instance(options), grader.run_tests, memory, options.seed, targets)


def _instance(options: argparse.Namespace) -> Instance:
    from pytest_jagged.contracts.digests import json_digest
    from pytest_jagged.contracts.instance import Instance, ResultsMode, ResultsSource
    from pytest_jagged.instances.cache import cache_root
    from pytest_jagged.instances.tree import store_seed

    if not options.directory.is_dir():
        raise ConfigError(f"{options.directory}: no such folder; name a project's tree")
    seed, digest = store_seed(options.directory.resolve(), cache_root(), keep_metadata=True)
    version = _version(options.python)
    decisive = [digest, options.test_command, str(options.python), list(version)]
    return Instance(
        id=options.directory.resolve().name,
        problem_statement="",
        seed=seed,
        seed_digest=digest,
        digest=json_digest([*decisive, options.import_root, options.test_glob]),
        test_command=options.test_command,
        results=ResultsSource(ResultsMode.PYTEST),
        fail_to_pass=(),
        pass_to_pass=(),
        gold_patch="",
        gold_files=(),
        import_root=options.import_root,
        interpreter=str(options.python.absolute()),
        python_version=version,
        test_globs=tuple(options.test_glob),
    )


def _version(python: Path) -> tuple[int, int]:
    from pytest_jagged.instances.host_python import ask_python

    found = ask_python(python)
    if found is None:
        raise ConfigError(f"--python {python}: is no working interpreter; name another")
    return found.minor


def _print(found: Validation) -> None:
    observers = sum(test.observes_source for test in found.changed)
    counts = found.candidates, found.applied, found.tests, len(found.changed), observers
    print(_ROW.format(found.spt, found.files, *counts), flush=True)
    for reason, count in list(found.skipped.items())[:_REASONS]:
        print(f"    skipped {count}: {reason}")
    if found.fault is not None:
        print(f"    the suite broke off: {found.fault}")
    for test in found.changed[:_NAMED]:
        note = " (looks at source text: blanks change it too)" if test.observes_source else ""
        print(f"    {test.name}: {test.before} -> {test.after}{note}")
    if len(found.changed) > _NAMED:
        print(f"    and {len(found.changed) - _NAMED} more")


def _write(path: Path, found: Sequence[Validation]) -> None:
    from dataclasses import asdict

    from pytest_jagged.records.atomic import write_json

    write_json(path, {"schema_version": 1, "transformations": [asdict(one) for one in found]})
