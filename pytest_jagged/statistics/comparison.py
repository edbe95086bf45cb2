"""Two studies of the same instances: did the change of agent make robustness worse?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.effort import Exclusion
from pytest_jagged.statistics.proportion import hybrid_difference
from pytest_jagged.statistics.score import MeanRate, mean_rate

__all__ = ["Comparison", "Difference", "compare_studies"]

# Below this many the correlation is mostly noise; without it the interval is wider, never narrower.
_ENOUGH_VARIANTS = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """Current minus earlier, as rates; these instances, new runs."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """`pairing` says what the studies share, and why not more; a positive `degradation` is a
    regression: the current agent is less robust.
    """

    earlier: str
    pairing: str
    degradation: Difference
    baseline: Difference
    perturbed: Difference
    instances: int
    shared_variants: int
    excluded: tuple[Exclusion, ...]


def compare_studies(
    earlier: Sequence[PairedInstance],
    current: Sequence[PairedInstance],
    *,
    name: str,
    confidence: float,
    by_variant: bool,
) -> Comparison | None:
    """None without a common instance. Variants are paired by the names in `Arm.variants`.

    Both agents meet the same variants, which correlates their perturbed rates; the correlation
    narrows the intervals by as much as was seen of it (Zou and Donner 2008).
    """
    by_id = {cell.id: cell for cell in earlier}
    common = [(by_id[cell.id], cell) for cell in current if cell.id in by_id]
    if not common:
        return None
    old_baseline, new_baseline = _rates([(o.baseline, n.baseline) for o, n in common], confidence)
    arms = [(o.perturbed, n.perturbed) for o, n in common]
    old_perturbed, new_perturbed = _rates(arms, confidence)
    shared = sum(len(_shared(o, n)) for o, n in arms) if by_variant else 0
    covariance = _covariance(arms) if shared >= _ENOUGH_VARIANTS else 0.0
    return Comparison(
        earlier=name,
        pairing="instance and variant" if shared else "instance alone",
        degradation=_of_degradation(
            (old_baseline, old_perturbed), (new_baseline, new_perturbed), covariance
        ),
        baseline=_of_rates(old_baseline, new_baseline, 0.0),
        perturbed=_of_rates(old_perturbed, new_perturbed, covariance),
        instances=len(common),
        shared_variants=shared,
        excluded=_excluded(earlier, current),
    )


def _rates(pairs: Sequence[tuple[Arm, Arm]], confidence: float) -> tuple[MeanRate, MeanRate]:
    return (
        mean_rate([old for old, _ in pairs], confidence),
        mean_rate([new for _, new in pairs], confidence),
    )


def _of_rates(old: MeanRate, new: MeanRate, covariance: float) -> Difference:
    correlation = _correlation(covariance, old.variance, new.variance)
    interval = hybrid_difference(new.mean, new.interval, old.mean, old.interval, correlation)
    return Difference(new.mean - old.mean, interval)


def _of_degradation(
    old: tuple[MeanRate, MeanRate], new: tuple[MeanRate, MeanRate], covariance: float
) -> Difference:
    means, intervals, variances = [], [], []
    for baseline, perturbed in (new, old):
        means.append(baseline.mean - perturbed.mean)
        intervals.append(
            hybrid_difference(baseline.mean, baseline.interval, perturbed.mean, perturbed.interval)
        )
        variances.append(baseline.variance + perturbed.variance)
    correlation = _correlation(covariance, *variances)
    interval = hybrid_difference(means[0], intervals[0], means[1], intervals[1], correlation)
    return Difference(means[0] - means[1], interval)


def _correlation(covariance: float, one: float, other: float) -> float:
    """Only a positive one is used: sharing variants cannot make agents differ more."""
    return min(0.95, max(0.0, covariance / math.sqrt(one * other)))


def _shared(old: Arm, new: Arm) -> list[tuple[float, float]]:
    """Rates of both agents on each variant that both met."""
    first, second = old.by_variant(), new.by_variant()
    return [
        (sum(first[name]) / len(first[name]), sum(second[name]) / len(second[name]))
        for name in first
        if name in second
    ]


def _covariance(arms: Sequence[tuple[Arm, Arm]]) -> float:
    """Of the two mean perturbed rates, from what variants have in common within instances."""
    total = 0.0
    for old, new in arms:
        pairs = _shared(old, new)
        if len(pairs) < 2:
            continue
        x, y = fmean(p[0] for p in pairs), fmean(p[1] for p in pairs)
        joint = math.fsum((a - x) * (b - y) for a, b in pairs) / (len(pairs) - 1)
        total += joint * len(pairs) / (len(old.by_variant()) * len(new.by_variant()))
    return total / len(arms) ** 2


def _excluded(
    earlier: Sequence[PairedInstance], current: Sequence[PairedInstance]
) -> tuple[Exclusion, ...]:
    old, new = {cell.id for cell in earlier}, {cell.id for cell in current}
    return tuple(
        Exclusion(instance, "not in the earlier study" if instance in new else "not in this study")
        for instance in sorted(old ^ new)
    )
