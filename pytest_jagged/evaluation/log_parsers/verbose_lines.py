"""`id STATUS` lines, as `pytest -v` prints while it runs, in two readings."""

from __future__ import annotations

import re

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.evaluation.log_parsers.status_words import (
    STATUS_WORDS,
    begins_with_status,
    ends_with_status,
    is_skip_count,
    note_status,
)

__all__ = ["parse_pytest_v2", "parse_pytest_verbose"]

_COLOUR = re.compile(r"\[(\d+)m")
_CONTROL = dict.fromkeys(range(1, 32))
_VERBOSE = re.compile(
    r"(?P<name>\S+::.+?)\s+(?P<status>PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)"
    r"(?:\s+\(.*\))?\s*(?:\[\s*\d+%\])?\s*"
)


def parse_pytest_v2(log: str) -> dict[str, TestStatus]:
    """`STATUS id` with blanks in the id, else `id STATUS`; colours and control characters are
    removed (astropy, scikit-learn, sphinx).
    """
    tests: dict[str, TestStatus] = {}
    for raw in log.split("\n"):
        line = _COLOUR.sub("", raw).translate(_CONTROL)
        if begins_with_status(line):
            if line.startswith("FAILED"):
                line = line.split(" - ", 1)[0]
            word, *names = line.split()
            if not names or is_skip_count(word, names[0]):
                continue
        elif ends_with_status(line):
            *names, word = line.split()
        else:
            continue
        if names:
            note_status(tests, " ".join(names), word)
    return tests


def parse_pytest_verbose(log: str) -> dict[str, TestStatus]:
    """`id STATUS [ 12%]`: with the progress column, which no parser of swebench reads."""
    tests: dict[str, TestStatus] = {}
    for raw in log.split("\n"):
        match = _VERBOSE.fullmatch(_COLOUR.sub("", raw).translate(_CONTROL))
        if match is not None:
            word = match["status"]
            tests[match["name"]] = STATUS_WORDS.get(word, TestStatus.XPASSED)
    return tests
