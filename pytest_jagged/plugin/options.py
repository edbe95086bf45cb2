"""The command line options; everything else is in the study file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pytest

__all__ = [
    "DEFAULT_REPORTS",
    "add_options",
    "load_neighbouring_conftests",
    "studies_on_command_line",
]

DEFAULT_REPORTS = "reports"
_FLAG = "--jagged-config"


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return value


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount above 0")
    return value


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("jagged", "robustness of code agents to semantics-preserving rewrites")
    group.addoption(
        _FLAG,
        action="append",
        dest="jagged_config",
        metavar="PATH",
        help="Run the study of this YAML file, or the packaged `demo`; repeatable",
    )
    group.addoption(
        "--jagged-runs",
        type=_positive,
        dest="jagged_runs",
        metavar="N",
        help="Runs per instance and condition, instead of the study's",
    )
    group.addoption(
        "--jagged-budget",
        type=_amount,
        dest="jagged_budget",
        metavar="USD",
        help="Start no run once the stored runs have cost this much",
    )
    group.addoption(
        "--jagged-reports",
        dest="jagged_reports",
        metavar="DIR",
        default=DEFAULT_REPORTS,
        help=f"Folder for records and reports (default: {DEFAULT_REPORTS})",
    )
    group.addoption(
        "--jagged-rerun",
        dest="jagged_rerun",
        metavar="infra|ID[,…]",
        help="Run again what infrastructure trouble ended, or instances or runs named by id",
    )
    group.addoption(
        "--jagged-compare",
        dest="jagged_compare",
        metavar="PATH",
        help="Compare with an earlier report of the same study (a report.json or its folder)",
    )
    group.addoption(
        "--jagged-no-gate",
        action="store_true",
        dest="jagged_no_gate",
        help="Evaluate no gate (for shards)",
    )


def studies_on_command_line(config: pytest.Config) -> list[str]:
    """What the user typed after the option: ini files and PYTEST_ADDOPTS start no agent."""
    typed = [str(argument) for argument in config.invocation_params.args]
    if "--" in typed:
        del typed[typed.index("--") :]
    following = [*typed[1:], ""]
    return [
        argument.removeprefix(f"{_FLAG}=") if argument != _FLAG else value
        for argument, value in zip(typed, following, strict=True)
        if argument == _FLAG or argument.startswith(f"{_FLAG}=")
    ]


def load_neighbouring_conftests(config: pytest.Config, studies: Sequence[str]) -> None:
    """Have pytest load the conftest.py beside a study as early as one of the folder it runs in.

    Its hooks may name the agent, and that is asked for before anything is collected.
    """
    folder = config.invocation_params.dir
    given = config.known_args_namespace
    paths = [str(path) for study in studies if (path := folder / study).exists()]
    given.file_or_dir = [*(given.file_or_dir or [str(folder)]), *paths]
