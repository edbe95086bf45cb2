"""`jagged regrade`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jagged.execution.regrading import Regraded

HELP = "grade the stored patches of a study again, without its agent; earlier verdicts are kept"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="the study's report folder")
    parser.add_argument(
        "--swebench-parsers",
        action="store_true",
        help="read logs with swebench's own parsers, compare the verdicts and store nothing",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the result there")


def run(options: argparse.Namespace) -> int:
    """Exit 1 when a verdict changed or a run could not be graded."""
    from pytest_jagged.execution.regrading import open_stored_study, regrade_study
    from pytest_jagged.records import session_lock

    study = open_stored_study(options.directory)
    with session_lock(study.root):
        found = list(regrade_study(study, _progress, swebench_parsers=options.swebench_parsers))
    _print(found)
    if options.json is not None:
        _write(options.json, found)
    return 1 if any(one.changed or one.now is None for one in found) else 0


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print(found: Sequence[Regraded]) -> None:
    for one in found:
        name = f"{one.instance_id}::{one.item}"
        if one.now is None:
            print(f"{name}: not graded: {one.detail}")
        elif one.changed:
            print(f"{name}: {one.before.value} -> {one.now.value} {one.detail}".rstrip())
    changed = sum(one.changed for one in found)
    lost = sum(one.now is None for one in found)
    same = len(found) - changed - lost
    print(f"{len(found)} patches: {same} as before, {changed} changed, {lost} not graded")


def _write(path: Path, found: Sequence[Regraded]) -> None:
    from pytest_jagged.records.atomic import write_json

    runs = [
        {
            "instance": one.instance_id,
            "item": one.item,
            "before": one.before.value,
            "now": None if one.now is None else one.now.value,
            "detail": one.detail,
        }
        for one in found
    ]
    write_json(path, {"schema_version": 1, "runs": runs})
