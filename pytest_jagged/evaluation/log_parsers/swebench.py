"""The parsers of the swebench package, run in a process of their own.

Importing swebench takes seconds and brings a thousand modules, which no session should pay for.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.errors import ConfigError, EvaluatorFailure
from pytest_jagged.evaluation.log_parsers.status_words import STATUS_WORDS

__all__ = ["swebench_parser", "swebench_version"]

_SCRIPT = Path(__file__).with_name("swebench_process.py")
_TIMEOUT_S = 300


def swebench_version() -> str | None:
    """None where it is not installed."""
    try:
        return metadata.version("swebench")
    except metadata.PackageNotFoundError:
        return None


@cache
def _known_parsers() -> frozenset[str]:
    return frozenset(_ask([]))


def swebench_parser(name: str) -> _SwebenchParser:
    """swebench's parser *name*, such as `parse_log_jest`.

    Raises:
        ConfigError: swebench 5 is not installed, or has no such parser.
    """
    version = swebench_version()
    if version is None or version.split(".")[0] != "5":
        found = "is not installed" if version is None else f"is {version}, not 5"
        raise ConfigError(
            f"log parser {name!r}: swebench {found}; pip install 'pytest-jagged[swebench]'"
        )
    if name not in _known_parsers():
        raise ConfigError(f"log parser {name!r}: swebench {version} has none of that name")
    return _SwebenchParser(name)


class _SwebenchParser:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, log: str) -> dict[str, TestStatus]:
        """What is no status of a test (`ERROR:`, say) is left out, as in our own parsers."""
        found = _ask([self._name], log)
        return {name: STATUS_WORDS[word] for name, word in found.items() if word in STATUS_WORDS}


def _ask(arguments: list[str], log: str = "") -> dict[str, str]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_SCRIPT), *arguments],
            input=log.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EvaluatorFailure(f"swebench: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise EvaluatorFailure(f"swebench: {lines[-1][:300]}")
    found: dict[str, str] = json.loads(done.stdout.decode("ascii"))
    return found
