"""What a reader must be told beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.reporting.report import Configuration
from pytest_jagged.statistics.effort import RelativeChange

__all__ = ["notes_on", "warnings_on"]

_LOST = (Outcome.INFRASTRUCTURE_ERROR.value, Outcome.GRADING_ERROR.value)


def warnings_on(
    counted: Mapping[Case, RunRecord | None], ledger: Mapping[str, Mapping[str, int]]
) -> tuple[str, ...]:
    """Loss, and loss that differs between conditions (it biases the difference)."""
    warnings = []
    lost = {
        name: sum(counts.get(word, 0) for word in _LOST) / max(1, sum(counts.values()))
        for name, counts in ledger.items()
    }
    if any(lost.values()):
        shares = ", ".join(f"{name} {share:.0%}" for name, share in lost.items())
        warnings.append(f"runs lost to infrastructure or grading: {shares}")
        if max(lost.values()) > 2 * min(lost.values()):
            warnings.append("conditions lost different shares of their runs: degradation is biased")
    touched = sum(1 for r in counted.values() if r and r.patch and r.patch.touched_test_config)
    if touched:
        warnings.append(f"{touched} runs changed test configuration (conftest.py, pytest.ini, …)")
    dropped = sum(1 for r in counted.values() if r and r.patch and r.patch.dropped_tests)
    if dropped:
        warnings.append(f"{dropped} runs edited graded tests; those edits were not graded")
    return tuple(warnings)


def notes_on(configuration: Configuration, measured: Sequence[RunRecord]) -> tuple[str, ...]:
    notes = []
    found = configuration.degradation
    if found is not None and found.certain_arms:
        low, high = 100 * found.smoothed.low, 100 * found.smoothed.high
        what = "has no width" if found.is_degenerate else "is too narrow"
        notes.append(
            f"{found.certain_arms} of {2 * found.instances} rates are 0 or 1 and add no variance,"
            f" so that the interval {what}; from smoothed rates it is [{low:.1f}, {high:.1f}] pp"
        )
    for name, change in configuration.effort.items():
        if change.mean is None and not name.endswith("_resolved"):
            notes.append(_unknown(name, change, measured))
    if measured and all(r.isolation == "none" for r in measured):
        notes.append(
            "environment local isolates tree, variables, HOME and working folder only"
            " (isolation: none)"
        )
    return tuple(notes)


def _unknown(name: str, change: RelativeChange, measured: Sequence[RunRecord]) -> str:
    values = [r.steps if name == "steps" else r.cost_usd for r in measured]
    if not any(value is not None for value in values):
        return f"{name} unknown: the agent reports none"
    reasons = sorted({exclusion.reason for exclusion in change.excluded})
    return f"change of {name} unknown: {'; '.join(reasons)}"
