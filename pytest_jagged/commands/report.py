"""`jagged report`."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from pytest_jagged.errors import StoreError

HELP = "compute a report again from stored records; several folders are shards of one study"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the report here")
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="PATH",
        help="an earlier report of the same study, or the folder that holds it",
    )
    parser.add_argument("-v", "--verbose", action="count", default=0)


def run(options: argparse.Namespace) -> int:
    """Exit 1 when planned runs are missing or a gate fails."""
    from pytest_jagged.reporting.comparison import read_earlier
    from pytest_jagged.reporting.json_form import report_to_json
    from pytest_jagged.reporting.stores import report_stores
    from pytest_jagged.reporting.terminal import render

    earlier = None if options.compare is None else read_earlier(options.compare)
    report = report_stores(options.directories, earlier)
    width = shutil.get_terminal_size().columns
    print("\n".join(render(report, verbosity=options.verbose, width=width)))
    if options.json is not None:
        text = json.dumps(report_to_json(report), indent=1, allow_nan=False)
        try:
            options.json.write_text(text + "\n", "utf-8")
        except OSError as error:
            raise StoreError(f"{options.json}: {error.strerror}; check the path") from None
    missing = sum(counts.get("not_run", 0) for counts in report.outcomes.values())
    return 1 if missing or any(gate.failed for gate in report.gates) else 0
