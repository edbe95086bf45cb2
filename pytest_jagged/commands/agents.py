"""`jagged agents`."""

from __future__ import annotations

import argparse

HELP = "list the agents a study may name"

__all__ = ["HELP", "add_arguments", "run"]

_ROWS = (
    ("gold-patch", "applies the gold patch as exact search-and-replace edits; no model"),
    ("noop", "changes nothing"),
    ("command", "any shell command: agent: {name: command, command: '… {task_file} …'}"),
    ("python:MODULE:CALLABLE", "callable(job, environment) -> AgentResult"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:  # noqa: ARG001 - takes none
    return


def run(options: argparse.Namespace) -> int:  # noqa: ARG001 - takes none
    for name, text in _ROWS:
        print(f"{name:<24}{text}")
    return 0
