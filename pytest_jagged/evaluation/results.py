"""Per-test results from what a test command left: our plugin's lines, JUnit XML, the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.errors import EvaluatorFailure

__all__ = ["Collected", "read_exit_code", "read_junit", "read_plugin_lines"]

# A later phase may only make a test's status worse.
_SEVERITY = (
    TestStatus.PASSED,
    TestStatus.XPASSED,
    TestStatus.XFAILED,
    TestStatus.SKIPPED,
    TestStatus.FAILED,
    TestStatus.ERROR,
)


@dataclass(frozen=True, slots=True)
class Collected:
    """`finished` is the suite's own exit status, None when it never said that it ended."""

    tests: dict[str, TestStatus]
    finished: int | None = None


def read_plugin_lines(data: bytes) -> Collected:
    """The lines of `grading_plugin`; a torn last line is dropped."""
    tests: dict[str, TestStatus] = {}
    finished: int | None = None
    for line in data.split(b"\n"):
        try:
            event = json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            continue
        if "finished" in event:
            finished = event["finished"]
        else:
            _note(tests, event["id"], event["when"], TestStatus(event["status"]))
    return Collected(tests, finished)


def _note(tests: dict[str, TestStatus], name: str, when: str, status: TestStatus) -> None:
    """Set-up and tear-down count only when they say more than `passed`."""
    known = tests.get(name)
    if known is None:
        if when in ("call", "collect") or status is not TestStatus.PASSED:
            tests[name] = status
    elif _SEVERITY.index(status) > _SEVERITY.index(known):
        tests[name] = status


def read_junit(data: bytes) -> Collected:
    """`classname::name` (or the name alone) of each test case.

    Raises:
        EvaluatorFailure: the file is no JUnit XML.
    """
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise EvaluatorFailure(f"JUnit file: {error}") from error
    tests: dict[str, TestStatus] = {}
    for case in root.iter("testcase"):
        owner, name = case.get("classname", ""), case.get("name", "")
        tests[f"{owner}::{name}" if owner else name] = _junit_status({c.tag for c in case})
    return Collected(tests)


def _junit_status(tags: Iterable[str]) -> TestStatus:
    for tag, status in (
        ("error", TestStatus.ERROR),
        ("failure", TestStatus.FAILED),
        ("skipped", TestStatus.SKIPPED),
    ):
        if tag in tags:
            return status
    return TestStatus.PASSED


def read_exit_code(code: int) -> Collected:
    """The command as a whole is the only test, called `exit_code`."""
    return Collected({"exit_code": TestStatus.PASSED if code == 0 else TestStatus.FAILED})
