"""The command line options; everything else is in the study file."""

from __future__ import annotations

import argparse

import pytest

__all__ = ["add_options", "asked_on_command_line"]

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
        default="reports",
        help="Folder for records and reports (default: reports)",
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
        help="Compare with an earlier report of the same study",
    )
    group.addoption(
        "--jagged-no-gate",
        action="store_true",
        dest="jagged_no_gate",
        help="Evaluate no gate (for shards)",
    )


def asked_on_command_line(config: pytest.Config) -> bool:
    """Whether the user typed the option: ini files and PYTEST_ADDOPTS start no agent."""
    return any(
        argument == _FLAG or argument.startswith(_FLAG + "=")
        for argument in map(str, config.invocation_params.args)
    )
