"""What a suite left is read for what it is, whatever else stands in it."""

from __future__ import annotations

import json

import pytest

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.evaluation.results import read_junit, read_plugin_lines

P, F, E, S, X = (
    TestStatus.PASSED,
    TestStatus.FAILED,
    TestStatus.ERROR,
    TestStatus.SKIPPED,
    TestStatus.XFAILED,
)


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def reports(name: str = "t", **statuses: str) -> list[dict[str, str]]:
    return [{"id": name, "when": when, "status": status} for when, status in statuses.items()]


PASSING = reports(setup="passed", call="passed", teardown="passed")
START = {"started": 1}
END = {"finished": 0, "collected": 1}


def test_a_whole_session() -> None:
    found = read_plugin_lines(lines(START, *PASSING, END))
    assert found.tests == {"t": P}
    assert found.trouble == ""


@pytest.mark.parametrize(
    ("events", "trouble"),
    [
        ([START, *PASSING], "broke off"),
        ([START, *PASSING, {"finished": 3, "collected": 1}], "broke off"),
        ([START, *PASSING, END, START, *PASSING], "broke off"),
        ([START, *PASSING, {"finished": 0, "collected": 3}], "2 collected tests never ran"),
        ([START, *PASSING, {"finished": 1, "collected": 3}], ""),
        ([START, *PASSING, END, START, *PASSING, END], ""),
    ],
)
def test_sessions_that_prove_nothing(events: list[object], trouble: str) -> None:
    found = read_plugin_lines(lines(*events))
    assert found.tests == {"t": P}
    assert trouble in found.trouble
    assert bool(found.trouble) == bool(trouble)


def test_steps_on_the_way_and_foreign_lines_are_passed_over() -> None:
    rerun = reports(setup="passed", call="rerun", teardown="passed")
    data = lines(START, *rerun, *PASSING, END) + b"null\n[]\n\xff\n{torn"
    found = read_plugin_lines(data)
    assert found.tests == {"t": P}
    assert found.trouble == ""


def test_later_reports_only_make_it_worse() -> None:
    data = lines(START, *reports(call="failed"), *PASSING, *reports("u", setup="skipped"))
    assert read_plugin_lines(data).tests == {"t": F, "u": S}


def test_a_failing_command_needs_a_failure() -> None:
    assert read_plugin_lines(lines(*PASSING)).explains(0)
    assert not read_plugin_lines(lines(*PASSING)).explains(1)
    assert read_plugin_lines(lines(*reports(call="failed"))).explains(1)


def test_junit() -> None:
    found = read_junit(
        b"<testsuites><testsuite>"
        b'<testcase classname="a.B" name="ok"/>'
        b'<testcase classname="a.B" name="twice"><failure/></testcase>'
        b'<testcase classname="a.B" name="twice"/>'
        b'<testcase name="broken"><error/></testcase>'
        b'<testcase name="left"><skipped/></testcase>'
        b'<testcase name="known"><skipped type="pytest.xfail"/></testcase>'
        b"</testsuite></testsuites>"
    )
    assert found.tests == {"a.B::ok": P, "a.B::twice": F, "broken": E, "left": S, "known": X}
    torn = read_junit(b"<testsuites><testcase")
    assert torn.tests == {}
    assert torn.trouble.startswith("JUnit file: ")
