"""Per-test results from what a test command left: our plugin's lines, JUnit XML, the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_jagged.contracts.evaluation import TestStatus

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["Collected", "read_exit_code", "read_junit", "read_plugin_lines"]

# A later report of the same test may only make its status worse.
_SEVERITY = (
    TestStatus.PASSED,
    TestStatus.XPASSED,
    TestStatus.XFAILED,
    TestStatus.SKIPPED,
    TestStatus.FAILED,
    TestStatus.ERROR,
)
_STATUSES = frozenset(status.value for status in TestStatus)
# All ran; some failed; stopped at errors of collection (what did not run is then missing).
_REGULAR_EXITS = (0, 1, 2)
_FAILURES = frozenset({TestStatus.FAILED, TestStatus.ERROR})


@dataclass(frozen=True, slots=True)
class Collected:
    """`trouble` says why the results prove nothing, though there may be some.

    `exit_code_counts` is False where the command's exit code does not tell of failures.
    """

    tests: dict[str, TestStatus]
    trouble: str = ""
    exit_code_counts: bool = True

    def explains(self, exit_code: int | None) -> bool:
        """Whether a command that ended so can have had these results: a failing command needs a
        failure (swebench's guard against code that reports passes itself)."""
        if exit_code == 0 or not self.exit_code_counts:
            return True
        return any(status in _FAILURES for status in self.tests.values())


def read_plugin_lines(data: bytes) -> Collected:
    """The lines of `grading_plugin`; torn and foreign ones are passed over."""
    tests: dict[str, TestStatus] = {}
    begun = 0
    endings: list[int] = []
    missed = 0
    set_up = 0
    for event in _events(data):
        if "started" in event:
            begun += 1
            set_up = 0
        elif "finished" in event:
            endings.append(event["finished"])
            if event["finished"] == 0:
                missed = max(missed, event["collected"] - set_up)
        elif event.get("status") in _STATUSES:  # others are steps on the way, such as `rerun`
            set_up += event["when"] == "setup"
            _note(tests, event["id"], event["when"], TestStatus(event["status"]))
    if len(endings) < begun or any(code not in _REGULAR_EXITS for code in endings):
        return Collected(tests, "suite broke off")
    return Collected(tests, f"{missed} collected tests never ran" if missed > 0 else "")


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _note(tests: dict[str, TestStatus], name: str, when: str, status: TestStatus) -> None:
    """Set-up and tear-down count only when they say more than `passed`."""
    if name in tests or when in ("call", "collect") or status is not TestStatus.PASSED:
        tests[name] = _worse(tests.get(name, status), status)


def _worse(one: TestStatus, other: TestStatus) -> TestStatus:
    return max(one, other, key=_SEVERITY.index)


def read_junit(data: bytes) -> Collected:
    """`classname::name` (or the name alone) of each test case."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        return Collected({}, f"JUnit file: {error}")
    tests: dict[str, TestStatus] = {}
    for case in root.iter("testcase"):
        owner, name = case.get("classname", ""), case.get("name", "")
        full_name = f"{owner}::{name}" if owner else name
        status = _junit_status(case)
        tests[full_name] = _worse(tests.get(full_name, status), status)
    return Collected(tests)


def _junit_status(case: Element) -> TestStatus:
    if case.find("error") is not None:
        return TestStatus.ERROR
    if case.find("failure") is not None:
        return TestStatus.FAILED
    skipped = case.find("skipped")
    if skipped is None:
        return TestStatus.PASSED
    is_expected_failure = skipped.get("type") == "pytest.xfail"
    return TestStatus.XFAILED if is_expected_failure else TestStatus.SKIPPED


def read_exit_code(code: int) -> Collected:
    """The command as a whole is the only test, called `exit_code`."""
    return Collected({"exit_code": TestStatus.PASSED if code == 0 else TestStatus.FAILED})
