"""The ratio perturbed/baseline of geometric means of runs, averaged over instances.

A ratio of two sample means is too large on average (by about cv²/n of the baseline), and more
instances do not cure that. Logarithms of runs have no such bias, and their differences are near
enough to normal for a t interval with few runs. A gate on effort therefore judges this form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.samples import Sample
from pytest_jagged.statistics.student import t_quantile

__all__ = ["LogRatio", "log_ratio"]


@dataclass(frozen=True, slots=True)
class LogRatio:
    """Natural logarithms; `interval` is None, with its `reason`, when variance is unknown."""

    mean: float
    interval: Interval | None
    degrees_of_freedom: float
    instances: int
    reason: str | None = None

    @property
    def change(self) -> float:
        """The ratio, minus one."""
        return math.expm1(self.mean)

    @property
    def change_interval(self) -> Interval | None:
        if self.interval is None:
            return None
        return Interval(math.expm1(self.interval.low), math.expm1(self.interval.high))


def log_ratio(pairs: Sequence[tuple[Sample, Sample]], confidence: float) -> LogRatio | None:
    """Mean over instances of the difference of mean logarithms; t interval by Satterthwaite.

    None when no instance has positive values only. Arms of one run take the mean variance of the
    others.
    """
    usable = [
        (baseline.logarithms(), perturbed.logarithms())
        for baseline, perturbed in pairs
        if min(*baseline.values, *perturbed.values) > 0
    ]
    if not usable:
        return None
    mean = math.fsum(pert.mean - base.mean for base, pert in usable) / len(usable)
    arms = [arm for pair in usable for arm in pair]
    variances = [_variance(arm.values) for arm in arms if len(arm.values) > 1]
    if not variances:
        reason = "each condition has one run: its variance is unknown"
        return LogRatio(mean, None, 0.0, len(usable), reason)
    pooled = fmean(variances)
    total, spread = 0.0, 0.0
    for arm in arms:
        runs = len(arm.values)
        part = pooled if runs == 1 else _variance(arm.values)
        part *= math.fsum(weight**2 for weight in arm.weights)
        total += part
        spread += part**2 / (len(variances) if runs == 1 else runs - 1)
    if total == 0:
        reason = "all runs of an instance are alike: no variance was seen"
        return LogRatio(mean, None, 0.0, len(usable), reason)
    freedom = total**2 / spread
    half = t_quantile(confidence, freedom) * math.sqrt(total) / len(usable)
    return LogRatio(mean, Interval(mean - half, mean + half), freedom, len(usable))


def _variance(values: Sequence[float]) -> float:
    """As statistics.variance, whose exact fractions take a hundred times as long."""
    centre = fmean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)
