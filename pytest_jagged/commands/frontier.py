"""`jagged frontier`."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

HELP = "several reports side by side: degradation, effort, resolve rates, ranks of models"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports", nargs="+", type=Path, metavar="REPORT", help="report.json, or its folder"
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the tables there")
    parser.add_argument(
        "--csv", type=Path, metavar="OUT", help="also write one row a configuration"
    )


def run(options: argparse.Namespace) -> int:
    from pytest_jagged.records.atomic import write_bytes, write_json
    from pytest_jagged.reporting.frontier import build_frontier
    from pytest_jagged.reporting.frontier_form import (
        frontier_to_csv,
        frontier_to_json,
        render_frontier,
    )
    from pytest_jagged.reporting.stored_report import read_report

    paths = [path / "report.json" if path.is_dir() else path for path in options.reports]
    frontier = build_frontier([(path, read_report(path)) for path in paths])
    print("\n".join(render_frontier(frontier, shutil.get_terminal_size().columns)))
    if options.json is not None:
        write_json(options.json, frontier_to_json(frontier))
    if options.csv is not None:
        write_bytes(options.csv, frontier_to_csv(frontier).encode("utf-8"))
    return 0
