"""`STATUS id` lines, as `pytest -rA` ends with; an id is cut at its first blank."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.evaluation.log_parsers.status_words import (
    begins_with_status,
    is_skip_count,
    note_status,
)

__all__ = ["parse_matplotlib", "parse_pytest", "parse_pytest_options", "parse_seaborn"]

_PARAMETERS = re.compile(r"(.*?)\[(.*)\]")
_BUTTONS = (("MouseButton.LEFT", "1"), ("MouseButton.RIGHT", "3"))


def parse_pytest(log: str) -> dict[str, TestStatus]:
    return _collect(log, str)


def parse_pytest_options(log: str) -> dict[str, TestStatus]:
    """Of a parameter that is a path only the last part stays (requests, pylint)."""
    return _collect(log, _short_path)


def parse_matplotlib(log: str) -> dict[str, TestStatus]:
    """Mouse buttons by number, as older versions print them."""
    for name, number in _BUTTONS:
        log = log.replace(name, number)
    return _collect(log, str)


def parse_seaborn(log: str) -> dict[str, TestStatus]:
    """Failures as `FAILED id`, passes in either order; nothing else counts."""
    tests: dict[str, TestStatus] = {}
    for line in log.split("\n"):
        words = line.split()
        if len(words) < 2:
            continue
        if line.startswith("FAILED"):
            tests[words[1]] = TestStatus.FAILED
        elif " PASSED " in line:
            if words[1] == "PASSED":
                tests[words[0]] = TestStatus.PASSED
        elif line.startswith("PASSED"):
            tests[words[1]] = TestStatus.PASSED
    return tests


def _collect(log: str, shorten: Callable[[str], str]) -> dict[str, TestStatus]:
    tests: dict[str, TestStatus] = {}
    for line in log.split("\n"):
        if not begins_with_status(line):
            continue
        if line.startswith("FAILED"):
            line = line.replace(" - ", " ")
        words = line.split()
        if len(words) > 1 and not is_skip_count(words[0], words[1]):
            note_status(tests, shorten(words[1]), words[0])
    return tests


def _short_path(name: str) -> str:
    match = _PARAMETERS.search(name)
    if match is None:
        return name
    test, option = match.groups()
    if option.startswith("/") and not option.startswith("//") and "*" not in option:
        option = "/" + option.split("/")[-1]
    return f"{test}[{option}]"
