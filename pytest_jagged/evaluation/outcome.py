"""From exit, patch and grade to the run's outcome (the table of design section 6)."""

from __future__ import annotations

from pytest_jagged.contracts.agent import Exit
from pytest_jagged.contracts.evaluation import Grade, GradeStatus, Outcome, Patch

__all__ = ["decide"]

_GRADER_TROUBLE = frozenset({GradeStatus.NOT_APPLIED, GradeStatus.FAILED})


def decide(
    exit_: Exit, patch: Patch, grade: Grade | None, *, grade_on_limit: bool
) -> tuple[Outcome, str]:
    """The outcome and why.

    A suite that times out twice, or runs no test, on a tree whose base runs them is the patch's
    doing and counts as not solved, with that reason; a patch that does not apply to the very tree
    it was taken from is the grader's trouble, and so is one that nobody graded.
    """
    if exit_.is_infrastructure:
        return Outcome.INFRASTRUCTURE_ERROR, exit_.value
    if exit_.is_limit and not grade_on_limit:
        return Outcome.LIMIT_REACHED, f"{exit_.value}, not graded (grade_on_limit: false)"
    if grade is None and not patch.is_empty:
        return Outcome.GRADING_ERROR, "the patch was not graded"
    if grade is not None and grade.status in _GRADER_TROUBLE:
        return Outcome.GRADING_ERROR, grade.detail or grade.status.value
    if grade is not None and grade.resolved:
        return Outcome.RESOLVED, ""
    if exit_.is_limit:
        return Outcome.LIMIT_REACHED, exit_.value
    if exit_ is not Exit.SUBMITTED:
        return Outcome.AGENT_FAILED, exit_.value
    if patch.is_empty:
        return Outcome.EMPTY_PATCH, "no change to any source file"
    return Outcome.UNRESOLVED, "" if grade is None else grade.detail
