"""Mean resolve rates over fixed instances with intervals that hold for few runs.

The mean of k_i / n_i over I instances is a proportion whose variance is smaller than that of one
binomial, as instances differ in their rates. Its *effective runs* are those of a binomial with the
same mean and variance; Wilson's and Newcombe's limits are taken with them. With one instance this
is Newcombe 1998, method 10, exactly; with rates of 0 or 1 its width stays above zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.proportion import hybrid_difference, score_limits

__all__ = ["MeanRate", "difference_interval", "mean_rate", "score_interval"]

# Pairs of runs of one instance that might have disagreed although none was seen to: one in all.
# It keeps instances at 0 and 1 from standing for certainty; its price is slight over-coverage.
_UNSEEN = 1.0


@dataclass(frozen=True, slots=True)
class MeanRate:
    """Unweighted mean over instances; `variance` is its estimate for these instances, new runs.

    `independent_runs` are the runs (variants, where these are repeated) that the mean rests on, as
    if all instances had equally many.
    """

    mean: float
    interval: Interval
    independent_runs: float
    effective_runs: float
    variance: float
    instances: int


def mean_rate(arms: Sequence[Arm], confidence: float) -> MeanRate:
    """Raises ValueError without arms, ZeroDivisionError for an arm without runs."""
    if not arms:
        raise ValueError("no instance has runs")
    count = len(arms)
    mean = math.fsum(arm.rate for arm in arms) / count
    # Runs of one variant are not independent: a variant counts once, its rate varies.
    units = count**2 / math.fsum(math.fsum(w**2 for _, w in arm.units) for arm in arms)
    variance = math.fsum(_variance(arm, mean) for arm in arms) / count**2
    cautious = variance + _UNSEEN / units**2
    effective = max(units, mean * (1 - mean) / cautious)
    limits = score_limits(mean, effective, confidence)
    return MeanRate(mean, limits, units, effective, cautious, count)


def score_interval(cells: Sequence[PairedInstance], confidence: float) -> Interval:
    """For the mean degradation of these instances, new runs."""
    baseline = mean_rate([cell.baseline for cell in cells], confidence)
    perturbed = mean_rate([cell.perturbed for cell in cells], confidence)
    return hybrid_difference(baseline.mean, baseline.interval, perturbed.mean, perturbed.interval)


def difference_interval(cell: PairedInstance, confidence: float) -> Interval:
    """For the degradation of one instance: Newcombe's, from the effective runs of its arms."""
    baseline, perturbed = (
        score_limits(arm.rate, arm.effective_runs, confidence)
        for arm in (cell.baseline, cell.perturbed)
    )
    return hybrid_difference(cell.baseline.rate, baseline, cell.perturbed.rate, perturbed)


def _variance(arm: Arm, mean: float) -> float:
    """Unbiased variance of the arm's rate; of a single unit the largest that its mean allows."""
    units = arm.units
    concentration = math.fsum(weight**2 for _, weight in units)
    if len(units) == 1:
        return mean * (1 - mean)
    spread = math.fsum(weight * (rate - arm.rate) ** 2 for rate, weight in units)
    return spread * concentration / (1 - concentration)
