"""`jagged agents`."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "list the agents a study may name, and which scaffolds are installed here"

__all__ = ["HELP", "add_arguments", "run"]

_ROWS = (
    ("gold-patch", "applies the gold patch as exact search-and-replace edits; no model"),
    ("noop", "changes nothing"),
    ("mini-swe-agent", "1.x and 2.x: agent: {name: mini-swe-agent, python: .mini/bin/python}"),
    ("command", "any shell command: agent: {name: command, command: '… {task_file} …'}"),
    ("python:MODULE:CALLABLE", "callable(job, environment) -> AgentResult"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python", type=Path, metavar="PATH", help="the interpreter beside mini-swe-agent"
    )


def run(options: argparse.Namespace) -> int:
    from pytest_jagged.agents.installed import find_scaffolds
    from pytest_jagged.agents.preset import load_preset, preset_names

    presets = [(name, load_preset(name).summary) for name in preset_names()]
    for name, text in (*_ROWS, *presets):
        print(f"{name:<24}{text}")
    print("\ninstalled here:")
    for scaffold in find_scaffolds(options.python):
        print(f"{scaffold.name:<24}{scaffold.found or 'missing: ' + scaffold.missing}")
    return 0
