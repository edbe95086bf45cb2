"""The line that a long session shows now and then."""

from __future__ import annotations

import re
import time

import pytest

from pytest_jagged.plugin.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The first entry is the time, in seconds."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def progress(clock: list[float]) -> Progress:
    return Progress()


def ended(
    number: int, *, when: str = "call", outcome: str = "passed", **given: object
) -> pytest.TestReport:
    properties = {"jagged_outcome": "resolved", "jagged_condition": "baseline", **given}
    return pytest.TestReport(
        nodeid=f"mine.yaml::alpha::baseline[r{number:02d}]",
        location=("mine.yaml", 0, "alpha"),
        keywords={},
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=None,
        when=when,  # type: ignore[arg-type]
        user_properties=list(properties.items()),
    )


def test_a_line_is_due_after_five_percent_and_some_seconds(
    progress: Progress, clock: list[float]
) -> None:
    progress.note(ended(1, jagged_resolved=True))
    clock[0] += 16
    assert progress.line(lambda: 40) is None  # one of forty is less than 5 %
    progress.note(ended(2, jagged_resolved=False))
    assert progress.line(lambda: 40) is not None
    progress.note(ended(3, jagged_resolved=False))
    progress.note(ended(4, jagged_resolved=False))
    clock[0] += 14
    assert progress.line(lambda: 40) is None  # too soon after the last
    clock[0] += 1
    assert progress.line(lambda: 40) is not None


def test_a_slow_session_speaks_every_ten_minutes(progress: Progress, clock: list[float]) -> None:
    progress.note(ended(1, jagged_resolved=True))
    clock[0] += 599
    assert progress.line(lambda: 2160) is None
    clock[0] += 1
    assert progress.line(lambda: 2160) is not None
    clock[0] += 6000
    assert progress.line(lambda: 2160) is None  # nothing has ended since


def test_the_last_run_leaves_the_word_to_the_summary(
    progress: Progress, clock: list[float]
) -> None:
    progress.note(ended(1, jagged_resolved=True))
    clock[0] += 60
    assert progress.line(lambda: 1) is None


def test_rates_cost_errors_and_the_expected_end(
    progress: Progress, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    progress.note(ended(1, jagged_resolved=True, jagged_cost_usd=1))
    progress.note(ended(2, jagged_resolved=False, jagged_cost_usd=0.5))
    progress.note(ended(3, jagged_resolved=True, jagged_condition="perturbed", jagged_reused=True))
    progress.note(ended(4, when="setup", outcome="failed", jagged_resolved=False))
    clock[0] += 30
    line = progress.line(lambda: 10)
    assert line is not None
    end = time.strftime("%H:%M", time.localtime(60))  # 6 runs of 10 s are left
    assert line == (
        "jagged: 4/10 runs, baseline 1/2 resolved, perturbed 1/1 resolved, 1 reused, 1 errors,"
        f" $1.50, expected end {end}"
    )


def test_a_far_end_names_the_day(progress: Progress, clock: list[float]) -> None:
    progress.note(ended(1, jagged_resolved=True))
    clock[0] += 900
    line = progress.line(lambda: 2160)
    assert line is not None
    assert re.search(r"expected end \w{3} \d\d \w{3} \d\d:\d\d$", line)


def test_an_item_that_ran_twice_counts_once(progress: Progress, clock: list[float]) -> None:
    progress.note(ended(1, when="setup", outcome="failed"))
    progress.note(ended(1, jagged_resolved=True))
    progress.note(ended(1, when="teardown", jagged_resolved=True))
    clock[0] += 60
    line = progress.line(lambda: 10)
    assert line is not None
    assert "1/10 runs, baseline 1/1 resolved, expected" in line
