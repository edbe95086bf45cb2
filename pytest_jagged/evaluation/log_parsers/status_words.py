"""The words for a test's status in a log, and lines that begin or end with one."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_jagged.contracts.evaluation import TestStatus

__all__ = [
    "STATUS_WORDS",
    "begins_with_status",
    "ends_with_status",
    "is_skip_count",
    "note_status",
]

STATUS_WORDS: Mapping[str, TestStatus] = {
    "FAILED": TestStatus.FAILED,
    "PASSED": TestStatus.PASSED,
    "SKIPPED": TestStatus.SKIPPED,
    "ERROR": TestStatus.ERROR,
    "XFAIL": TestStatus.XFAILED,
}
_WORDS = tuple(STATUS_WORDS)


def begins_with_status(line: str) -> bool:
    return line.startswith(_WORDS)


def ends_with_status(line: str) -> bool:
    return line.endswith(_WORDS)


def is_skip_count(status: str, name: str) -> bool:
    """pytest's `SKIPPED [3] file:line: reason` counts tests and names none.

    `PASSED [100%]` is kept: two instances of SWE-bench require a test of that name.
    """
    return status == "SKIPPED" and name[:1] + name[-1:] == "[]" and name[1:-1].isdigit()


def note_status(tests: dict[str, TestStatus], name: str, word: str) -> None:
    """The last word on a test counts; one that is no status (`ERROR:`) leaves it unknown."""
    status = STATUS_WORDS.get(word)
    if status is None:
        tests.pop(name, None)
    else:
        tests[name] = status
