"""`jagged counts`."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

HELP = "report on a table of counts (CSV), as other tools write it"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="FILE.csv")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the report there")
    parser.add_argument("-v", "--verbose", action="count", default=0)


def run(options: argparse.Namespace) -> int:
    from pytest_jagged.contracts.settings import StatisticsSettings
    from pytest_jagged.records.atomic import write_json
    from pytest_jagged.reporting.counts import report_of_counts
    from pytest_jagged.reporting.counts_table import read_counts
    from pytest_jagged.reporting.json_form import report_to_json
    from pytest_jagged.reporting.terminal import render

    table = read_counts(options.table)
    report = report_of_counts(options.table.stem, table, StatisticsSettings())
    width = shutil.get_terminal_size().columns
    print("\n".join(render(report, verbosity=options.verbose, width=width)))
    if options.json is not None:
        write_json(options.json, report_to_json(report))
    return 0
