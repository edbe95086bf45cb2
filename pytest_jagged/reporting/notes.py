"""What a reader must be told beside the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.reporting.report import Configuration, Look
from pytest_jagged.reporting.text import count
from pytest_jagged.statistics.effort import RelativeChange

__all__ = ["configuration_notes", "notes_on", "staged_notes", "warnings_on"]

_LOST = (Outcome.INFRASTRUCTURE_ERROR.value, Outcome.GRADING_ERROR.value)
_DIFFERENT = 0.02


def warnings_on(
    counted: Mapping[Case, RunRecord | None],
    ledger: Mapping[str, Mapping[str, int]],
    configurations: Sequence[Configuration],
) -> tuple[str, ...]:
    """Loss, loss that differs between conditions, an A/A check that fails, tampering."""
    return (
        *_loss(ledger),
        *(w for configuration in configurations for w in _placebo(configuration)),
        *_tampering([record for record in counted.values() if record is not None]),
    )


def _loss(ledger: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    lost = {
        name: sum(counts.get(word, 0) for word in _LOST) / max(1, sum(counts.values()))
        for name, counts in ledger.items()
    }
    if any(lost.values()):
        shares = ", ".join(f"{name} {share:.1%}" for name, share in lost.items())
        yield f"runs lost to infrastructure or grading: {shares}"
        if max(lost.values()) - min(lost.values()) > _DIFFERENT:
            yield (
                "conditions lost different shares of their runs, which biases the degradation if"
                " what was lost is not like what was kept"
            )
    invalid = sum(counts.get(Outcome.INVALID_VARIANT.value, 0) for counts in ledger.values())
    if invalid:
        yield f"{count(invalid, 'run')} had no variant that keeps the behaviour"


def _placebo(configuration: Configuration) -> Iterator[str]:
    """The A/A check: nothing was changed, so that a difference comes from how runs are made."""
    if configuration.placebo is None:
        return
    found = configuration.placebo.against_baseline.degradation
    if found is not None and not found.score.contains(0.0):
        yield (
            f"placebo differs from baseline by {100 * found.mean:.1f} pp"
            f" [{100 * found.score.low:.1f}, {100 * found.score.high:.1f}] though nothing was"
            " changed: order, drift or provisioning moves the rates; the degradation may be that"
        )


def _tampering(records: Sequence[RunRecord]) -> Iterator[str]:
    touched = sum(1 for r in records if r.patch and r.patch.touched_test_config)
    if touched:
        yield f"{touched} runs changed test configuration (conftest.py, pytest.ini, …)"
    dropped = sum(1 for r in records if r.patch and r.patch.dropped_tests)
    if dropped:
        yield f"{dropped} runs edited graded tests; those edits were not graded"


def notes_on(
    configurations: Sequence[Configuration], measured: Sequence[RunRecord]
) -> tuple[str, ...]:
    notes = [note for c in configurations for note in configuration_notes(c)]
    for configuration in configurations:
        for name, change in configuration.effort.items():
            if change.mean is None and not name.endswith("_resolved"):
                notes.append(_unknown(name, change, measured))
    if measured and all(r.isolation == "none" for r in measured):
        notes.append(
            "environment local isolates tree, variables, HOME and working folder only"
            " (isolation: none)"
        )
    return tuple(dict.fromkeys(notes))


def configuration_notes(configuration: Configuration) -> Iterator[str]:
    """Where the paper's interval is too narrow, and where runs are not independent."""
    found = configuration.degradation
    if found is None:
        return
    low, high = 100 * found.score.low, 100 * found.score.high
    better = f"the score interval, which holds for few runs, is [{low:.1f}, {high:.1f}] pp"
    certain = f"{found.certain_arms} of {2 * found.instances} rates are 0 or 1 and add no variance"
    if found.is_degenerate:
        yield f"{certain}: the bootstrap interval has no width and says nothing; {better}"
    elif found.is_too_narrow:
        yield (
            f"the bootstrap interval is expected to hold the truth in"
            f" {found.expected_coverage:.0%} of such studies ({certain}); {better}"
        )
    if any(c.single_runs for n, c in configuration.effort.items() if not n.endswith("_resolved")):
        yield "conditions of one run add no variance to intervals of effort, which are too narrow"
    if configuration.variance is not None:
        yield (
            "runs of one variant are not independent: intervals of single instances are too narrow,"
            " that of the mean (score) counts variants"
        )


def _unknown(name: str, change: RelativeChange, measured: Sequence[RunRecord]) -> str:
    values = [r.steps if name == "steps" else r.cost_usd for r in measured]
    if not any(value is not None for value in values):
        return f"{name} unknown: the agent reports none"
    reasons = sorted({exclusion.reason for exclusion in change.excluded}) or [change.reason or ""]
    return f"change of {name} unknown: {'; '.join(reasons)}"


def staged_notes(look: Look | None) -> Iterator[str]:
    if look is None:
        return
    yield (
        f"stage {look.stage} of {look.stages}: intervals of this look are at"
        f" {100 * look.confidence:.4g} %, so that all looks together err in at most"
        f" {100 * (1 - look.overall):g} % of studies; in a rate every stage weighs the same"
    )
    if look.stage > 1:
        yield (
            "later stages go where earlier ones saw variance: consistency and the variance split"
            " are of the first stage alone, and no p-value is given for single instances"
        )
