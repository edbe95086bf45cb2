"""The table of outcomes, and the rules of grading."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.agent import Exit
from pytest_jagged.contracts.evaluation import (
    Grade,
    GradeStatus,
    Outcome,
    Patch,
    PatchedFile,
    TestStatus,
)
from pytest_jagged.evaluation.outcome import decide
from pytest_jagged.evaluation.verdict import judge

PATCH = Patch(b"x", (PatchedFile("a.py", 1, 0),))
EMPTY = Patch(b"")
SOLVED = Grade(GradeStatus.GRADED, resolved=True)
FAILED = Grade(GradeStatus.GRADED, resolved=False, detail="why")


@pytest.mark.parametrize(
    ("exit_", "patch", "grade", "outcome"),
    [
        (Exit.SUBMITTED, PATCH, SOLVED, Outcome.RESOLVED),
        (Exit.SUBMITTED, PATCH, FAILED, Outcome.UNRESOLVED),
        (Exit.SUBMITTED, EMPTY, None, Outcome.EMPTY_PATCH),
        (Exit.STEP_LIMIT, PATCH, SOLVED, Outcome.RESOLVED),
        (Exit.STEP_LIMIT, PATCH, FAILED, Outcome.LIMIT_REACHED),
        (Exit.COST_LIMIT, EMPTY, None, Outcome.LIMIT_REACHED),
        (Exit.WALL_LIMIT, PATCH, FAILED, Outcome.LIMIT_REACHED),
        (Exit.IDLE, EMPTY, None, Outcome.LIMIT_REACHED),
        (Exit.CRASH, PATCH, SOLVED, Outcome.RESOLVED),
        (Exit.CRASH, PATCH, FAILED, Outcome.AGENT_FAILED),
        (Exit.FORMAT_ERROR, EMPTY, None, Outcome.AGENT_FAILED),
        (Exit.CONTEXT_WINDOW, EMPTY, None, Outcome.AGENT_FAILED),
        (Exit.NO_SUBMISSION, PATCH, FAILED, Outcome.AGENT_FAILED),
        (Exit.RATE_LIMIT, PATCH, None, Outcome.INFRASTRUCTURE_ERROR),
        (Exit.AUTH, EMPTY, None, Outcome.INFRASTRUCTURE_ERROR),
        (Exit.PROVIDER_ERROR, EMPTY, None, Outcome.INFRASTRUCTURE_ERROR),
        (Exit.ENVIRONMENT_ERROR, EMPTY, None, Outcome.INFRASTRUCTURE_ERROR),
        (Exit.SUBMITTED, PATCH, Grade(GradeStatus.NOT_APPLIED, False), Outcome.GRADING_ERROR),
        (Exit.SUBMITTED, PATCH, Grade(GradeStatus.FAILED, False), Outcome.GRADING_ERROR),
        (Exit.SUBMITTED, PATCH, Grade(GradeStatus.TIMED_OUT, False), Outcome.UNRESOLVED),
        (Exit.SUBMITTED, PATCH, Grade(GradeStatus.NO_TESTS, False), Outcome.UNRESOLVED),
    ],
)
def test_outcomes(exit_: Exit, patch: Patch, grade: Grade | None, outcome: Outcome) -> None:
    assert decide(exit_, patch, grade, grade_on_limit=True)[0] is outcome


def test_every_exit_has_an_outcome() -> None:
    for exit_ in Exit:
        outcome, _ = decide(exit_, PATCH, FAILED, grade_on_limit=True)
        assert outcome.is_measured != exit_.is_infrastructure


@pytest.mark.parametrize("grade", [None, SOLVED])
def test_a_limit_that_is_not_graded_says_so(grade: Grade | None) -> None:
    outcome, detail = decide(Exit.STEP_LIMIT, PATCH, grade, grade_on_limit=False)
    assert outcome is Outcome.LIMIT_REACHED
    assert "not graded" in detail


@pytest.mark.parametrize("exit_", [Exit.SUBMITTED, Exit.CRASH, Exit.STEP_LIMIT])
def test_a_patch_that_nobody_graded_is_not_called_unresolved(exit_: Exit) -> None:
    outcome, detail = decide(exit_, PATCH, None, grade_on_limit=True)
    assert outcome is Outcome.GRADING_ERROR
    assert detail


P, S, F, X = TestStatus.PASSED, TestStatus.SKIPPED, TestStatus.FAILED, TestStatus.XFAILED


@pytest.mark.parametrize(
    ("tests", "f2p", "p2p", "resolved", "missing"),
    [
        ({"a": P, "b": P}, ["a"], ["b"], True, ()),
        ({"a": S, "b": P}, ["a"], ["b"], False, ()),
        ({"a": P, "b": S}, ["a"], ["b"], True, ()),
        ({"a": X, "b": P}, ["a"], ["b"], True, ()),
        ({"a": F}, ["a"], [], False, ()),
        ({"a": P}, ["a"], ["b"], False, ("b",)),
        ({}, ["a"], [], False, ("a",)),
        ({"t[x y]": P}, ["t[x"], [], True, ()),
        ({"t[x y]": P, "t[x z]": P}, ["t[x"], [], True, ()),
        ({"t[x y]": P, "t[x z]": F}, ["t[x"], [], False, ("t[x",)),
        ({"t[a[0] b]": P}, ["t[a[0]"], [], True, ()),
        ({"t[x] more": P}, ["t[x]"], [], False, ("t[x]",)),
        ({"t | it's": P}, ["t | it's "], [], True, ()),
        ({"t 'a": P, "t 'a'": P}, ["t 'a\""], [], False, ("t 'a\"",)),
    ],
)
def test_judging(
    tests: dict[str, TestStatus],
    f2p: list[str],
    p2p: list[str],
    resolved: bool,
    missing: tuple[str, ...],
) -> None:
    verdict = judge(tests, f2p, p2p)
    assert verdict.resolved is resolved
    assert verdict.missing == missing


def test_where_only_a_pass_counts() -> None:
    """SWE-bench Pro: a required test that skips or is expected to fail did not pass."""
    assert judge({"a": P, "b": S}, ["a"], ["b"]).resolved
    strict = judge({"a": P, "b": S}, ["a"], ["b"], only_passed=True)
    assert not strict.resolved
    assert strict.failed_pass_to_pass == ("b",)
    assert strict.missing == ()
    assert not judge({"a": TestStatus.XFAILED}, ["a"], [], only_passed=True).resolved
