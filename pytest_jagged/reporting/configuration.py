"""The estimates of one configuration from its measured runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_jagged.contracts.case import ConditionKind
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.report import (
    ArmSummary,
    Configuration,
    InstanceRow,
    Split,
    StudyDescription,
)
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.degradation import MeanDegradation, mean_degradation
from pytest_jagged.statistics.effort import (
    Exclusion,
    RelativeChange,
    Values,
    all_runs,
    relative_change,
    resolved_runs,
)
from pytest_jagged.statistics.multiplicity import chance_of_excluding_zero
from pytest_jagged.statistics.proportion import newcombe

__all__ = ["configuration_of", "estimate_configuration", "paired_instances"]


def configuration_of(
    study: StudyDescription, measured: Sequence[RunRecord], statistics: StatisticsSettings
) -> Configuration:
    cells, excluded = paired_instances(measured)
    rows = tuple(
        _row(instance_id, arms[0], arms[1], statistics.confidence)
        for instance_id, arms in _arms(measured).items()
    )
    return estimate_configuration(study, cells, excluded, rows, splits_of(measured), statistics)


def estimate_configuration(
    study: StudyDescription,
    cells: Sequence[PairedInstance],
    excluded: tuple[Exclusion, ...],
    rows: tuple[InstanceRow, ...],
    splits: tuple[Split, ...],
    statistics: StatisticsSettings,
) -> Configuration:
    """Estimates over *cells*; also the way in for counts of other tools."""
    return Configuration(
        scaffold=study.scaffold,
        model=study.model,
        benchmark=study.benchmark,
        degradation=_degradation(cells, statistics),
        excluded=excluded,
        effort=_effort(cells, statistics),
        instances=rows,
        splits=splits,
        excluding_zero=sum(row.excludes_zero for row in rows),
        excluding_zero_by_chance=_by_chance(cells, statistics.confidence),
    )


def _degradation(
    cells: Sequence[PairedInstance], statistics: StatisticsSettings
) -> MeanDegradation | None:
    if not cells:
        return None
    return mean_degradation(
        cells,
        confidence=statistics.confidence,
        resamples=statistics.resamples,
        seed=statistics.seed,
    )


def _effort(
    cells: Sequence[PairedInstance], statistics: StatisticsSettings
) -> dict[str, RelativeChange]:
    def steps(arm: Arm) -> Sequence[float | None]:
        return arm.steps

    def cost(arm: Arm) -> Sequence[float | None]:
        return arm.cost_usd

    wanted: dict[str, Values] = {
        "steps": all_runs(steps),
        "steps_resolved": resolved_runs(steps),
        "cost": all_runs(cost),
        "cost_resolved": resolved_runs(cost),
    }
    return {
        name: relative_change(
            cells,
            values,
            confidence=statistics.confidence,
            resamples=statistics.resamples,
            seed=statistics.seed,
        )
        for name, values in wanted.items()
    }


def paired_instances(
    measured: Sequence[RunRecord],
) -> tuple[list[PairedInstance], tuple[Exclusion, ...]]:
    """Instances with measured runs in both conditions, sorted by id; the others by name."""
    cells, excluded = [], []
    for instance_id, (baseline, perturbed) in _arms(measured).items():
        if baseline.runs and perturbed.runs:
            cells.append(PairedInstance(instance_id, baseline, perturbed))
        else:
            missing = "perturbed" if baseline.runs else "baseline"
            excluded.append(Exclusion(instance_id, f"no measured {missing} run"))
    return cells, tuple(excluded)


def _arms(measured: Sequence[RunRecord]) -> dict[str, tuple[Arm, Arm]]:
    ids = sorted({record.case.instance_id for record in measured})
    ordered = sorted(measured, key=lambda r: (r.case.condition.name, r.case.ordinal))
    return {
        instance_id: (
            _arm([r for r in ordered if _is(r, instance_id, ConditionKind.BASELINE)]),
            _arm([r for r in ordered if _is(r, instance_id, ConditionKind.PERTURBED)]),
        )
        for instance_id in ids
    }


def _is(record: RunRecord, instance_id: str, kind: ConditionKind) -> bool:
    return record.case.instance_id == instance_id and record.case.condition.kind is kind


def _arm(records: Sequence[RunRecord]) -> Arm:
    return Arm(
        resolved=tuple(r.resolved for r in records),
        steps=tuple(r.steps for r in records),
        cost_usd=tuple(r.cost_usd for r in records),
    )


def _row(instance_id: str, baseline: Arm, perturbed: Arm, confidence: float) -> InstanceRow:
    degradation = interval = None
    if baseline.runs and perturbed.runs:
        degradation = baseline.rate - perturbed.rate
        interval = newcombe(
            baseline.resolved_count,
            baseline.runs,
            perturbed.resolved_count,
            perturbed.runs,
            confidence,
        )
    return InstanceRow(
        id=instance_id,
        baseline=_summary(baseline),
        perturbed=_summary(perturbed),
        degradation=degradation,
        interval=interval,
        excludes_zero=interval is not None and not interval.contains(0.0),
    )


def _summary(arm: Arm) -> ArmSummary:
    return ArmSummary(arm.runs, arm.resolved_count, _mean(arm.steps), _mean(arm.cost_usd))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _by_chance(cells: Sequence[PairedInstance], confidence: float) -> float:
    """Expected number of intervals that exclude zero though nothing changed, at pooled rates."""
    total = 0.0
    for cell in cells:
        n1, n2 = cell.baseline.runs, cell.perturbed.runs
        pooled = (cell.baseline.resolved_count + cell.perturbed.resolved_count) / (n1 + n2)
        total += chance_of_excluding_zero(pooled, n1, n2, confidence)
    return total


def splits_of(measured: Sequence[RunRecord]) -> tuple[Split, ...]:
    """Perturbed runs by what their variant changed, and by whether the gold patch solves it."""
    groups: dict[str, list[RunRecord]] = {}
    for record in measured:
        variant = record.variant
        if variant is None:
            continue
        changed = (
            "changed nothing"
            if variant.unchanged
            else "changed other files only"
            if variant.gold_unchanged
            else "changed gold files"
        )
        groups.setdefault(changed, []).append(record)
        groups.setdefault(f"gold solves: {variant.gold_solves}", []).append(record)
    return tuple(
        Split(name, len(records), sum(r.resolved for r in records))
        for name, records in sorted(groups.items())
    )
