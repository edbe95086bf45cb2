"""The estimates of one configuration from its measured runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_jagged.contracts.case import ConditionKind
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.arms import Arms, arm_of, arms_of, first_stage, pair, variant_counts
from pytest_jagged.reporting.attributed import attributed
from pytest_jagged.reporting.contrast import (
    contrast_of,
    degradation_of,
    effort_of,
    wall_time_of,
)
from pytest_jagged.reporting.report import (
    ArmSummary,
    Configuration,
    InstanceRow,
    Placebo,
    StudyDescription,
    VariantCount,
)
from pytest_jagged.reporting.splits import splits_of
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.concentration import concentration
from pytest_jagged.statistics.consistency import consistency
from pytest_jagged.statistics.multiplicity import (
    benjamini_hochberg,
    chance_of_excluding_zero,
    fisher_p,
    holm,
)
from pytest_jagged.statistics.score import MeanRate, difference_interval, mean_rate
from pytest_jagged.statistics.variance import variance_split

__all__ = ["configuration_of", "instance_rows", "intervals_by_chance"]


def configuration_of(
    study: StudyDescription,
    measured: Sequence[RunRecord],
    statistics: StatisticsSettings,
    condition: str = "perturbed",
) -> Configuration:
    baseline = arms_of(measured, ConditionKind.BASELINE)
    perturbed = arms_of(measured, ConditionKind.PERTURBED, condition)
    placebo = arms_of(measured, ConditionKind.PLACEBO)
    cells, excluded = pair(baseline, perturbed)
    rows = _rows(baseline, perturbed, statistics.confidence)
    planned = pair(first_stage(baseline), first_stage(perturbed))[0]
    options = {"resamples": statistics.resamples, "seed": statistics.seed}
    return Configuration(
        scaffold=study.scaffold,
        model=study.model,
        benchmark=study.benchmark,
        condition=condition,
        degradation=degradation_of(cells, statistics),
        excluded=excluded,
        effort=effort_of(cells, statistics),
        timing=wall_time_of(cells, statistics),
        instances=rows,
        splits=splits_of(baseline, perturbed, statistics, study.not_python),
        excluding_zero=sum(row.excludes_zero for row in rows),
        excluding_zero_by_chance=intervals_by_chance(cells, statistics.confidence),
        rates=_rates(cells, placebo, statistics.confidence),
        placebo=_placebo(baseline, perturbed, placebo, statistics),
        concentration=concentration(cells),
        consistency=consistency(planned, confidence=statistics.confidence, **options),
        variance=variance_split(planned),
        attribution=attributed(perturbed, statistics.confidence),
    )


def _rates(
    cells: Sequence[PairedInstance], placebo: Arms, confidence: float
) -> dict[str, MeanRate]:
    arms = {
        "baseline": [cell.baseline for cell in cells],
        "perturbed": [cell.perturbed for cell in cells],
        "placebo": [arm_of(runs) for runs in placebo.values()],
    }
    return {name: mean_rate(found, confidence) for name, found in arms.items() if found}


def _placebo(
    baseline: Arms, perturbed: Arms, placebo: Arms, statistics: StatisticsSettings
) -> Placebo | None:
    if not placebo:
        return None
    return Placebo(
        against_baseline=contrast_of(pair(baseline, placebo)[0], statistics),
        perturbed_against=contrast_of(pair(placebo, perturbed)[0], statistics),
    )


def _rows(baseline: Arms, perturbed: Arms, confidence: float) -> tuple[InstanceRow, ...]:
    arms, variants = [], {}
    for instance in sorted(baseline.keys() | perturbed.keys()):
        runs = perturbed.get(instance, ())
        arms.append((instance, arm_of(baseline.get(instance, ())), arm_of(runs)))
        variants[instance] = variant_counts(runs)
    return instance_rows(arms, confidence, variants)


def instance_rows(
    arms: Sequence[tuple[str, Arm, Arm]],
    confidence: float,
    variants: Mapping[str, tuple[VariantCount, ...]] | None = None,
) -> tuple[InstanceRow, ...]:
    """(id, baseline, perturbed) as rows; p-values are adjusted over the rows that have one."""
    rows = [_row(instance, one, other, confidence) for instance, one, other in arms]
    p_values = [row.p for row in rows if row.p is not None]
    adjusted = iter(zip(holm(p_values), benjamini_hochberg(p_values), strict=True))
    finished = []
    for row in rows:
        holm_p, fdr_p = (None, None) if row.p is None else next(adjusted)
        own = (variants or {}).get(row.id, ())
        finished.append(replace(row, holm_p=holm_p, fdr_p=fdr_p, variants=own))
    return tuple(finished)


def _row(instance_id: str, baseline: Arm, perturbed: Arm, confidence: float) -> InstanceRow:
    degradation = interval = p = None
    if baseline.runs and perturbed.runs:
        cell = PairedInstance(instance_id, baseline, perturbed)
        degradation, interval = cell.degradation, difference_interval(cell, confidence)
        if not (baseline.stages or perturbed.stages):  # the test supposes planned numbers of runs
            p = fisher_p(
                baseline.resolved_count, baseline.runs, perturbed.resolved_count, perturbed.runs
            )
    return InstanceRow(
        id=instance_id,
        baseline=_summary(baseline),
        perturbed=_summary(perturbed),
        degradation=degradation,
        interval=interval,
        excludes_zero=interval is not None and not interval.contains(0.0),
        p=p,
    )


def _summary(arm: Arm) -> ArmSummary:
    return ArmSummary(arm.runs, arm.resolved_count, _mean(arm.steps), _mean(arm.cost_usd))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def intervals_by_chance(cells: Sequence[PairedInstance], confidence: float) -> float:
    """Expected number of intervals that exclude zero though nothing changed, at pooled rates."""
    total = 0.0
    for cell in cells:
        n1, n2 = (max(1, round(arm.effective_runs)) for arm in (cell.baseline, cell.perturbed))
        pooled = (n1 * cell.baseline.rate + n2 * cell.perturbed.rate) / (n1 + n2)
        total += chance_of_excluding_zero(pooled, n1, n2, confidence)
    return total
