"""`jagged schema`."""

from __future__ import annotations

import argparse
import json

HELP = "print the JSON Schema of a study file, so that editors complete it"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:  # noqa: ARG001 - takes none
    return


def run(options: argparse.Namespace) -> int:  # noqa: ARG001 - takes none
    from pytest_jagged.config import study_json_schema

    print(json.dumps(study_json_schema(), indent=2))
    return 0
