"""Mean degradation over instances, with the intervals of both estimands (paper, "Statistical
protocol").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.coverage import ADEQUATE_COVERAGE, expected_bootstrap_coverage
from pytest_jagged.statistics.score import score_interval

__all__ = ["MeanDegradation", "mean_degradation", "sign_flip_p"]

_EXACT_UP_TO = 24
_FLIPS = 100_000
_AT_ONCE = 10_000
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class MeanDegradation:
    """Rates, not points. `interval` speaks of *these instances, new runs*; `new_instances` of *new
    instances too*. `score` (statistics.score) is of the first estimand and holds for few runs and
    rates of 0 or 1, where `interval` is too narrow: `expected_coverage` says by how much.
    """

    mean: float
    interval: Interval
    estimand: Estimand
    new_instances: Interval
    score: Interval
    expected_coverage: float
    sign_flip_p: float
    instances: int
    certain_arms: int

    @property
    def is_too_narrow(self) -> bool:
        """The bootstrap interval should not stand without the score interval beside it."""
        return self.is_degenerate or self.expected_coverage < ADEQUATE_COVERAGE

    @property
    def is_degenerate(self) -> bool:
        """No variance at all was seen: the interval's width is zero and says nothing."""
        return self.interval.width <= _TOLERANCE


def mean_degradation(
    cells: Sequence[PairedInstance], *, confidence: float, resamples: int, seed: int
) -> MeanDegradation:
    """Unweighted mean over instances; each condition's own number of runs.

    Fixed population: redraw Binomial(n, p̂)/n per instance, arm and stage, baseline first, from one
    fresh generator; percentile interval. New instances: resample instances.

    Raises:
        ValueError: no instance.
    """
    if not cells:
        raise ValueError("no instance has runs in both conditions")
    import numpy as np

    arms = [cell.baseline for cell in cells], [cell.perturbed for cell in cells]
    rates = np.array([cell.degradation for cell in cells])
    rng = np.random.default_rng(seed)
    first, second = (_redrawn_rates(rng, side, resamples) for side in arms)
    fixed = (first - second).mean(axis=1)
    chosen = np.random.default_rng(seed).integers(0, len(cells), (resamples, len(cells)))
    return MeanDegradation(
        mean=float(rates.mean()),
        interval=_percentiles(fixed, confidence),
        estimand=Estimand.THESE_INSTANCES,
        new_instances=_percentiles(rates[chosen].mean(axis=1), confidence),
        score=score_interval(cells, confidence),
        expected_coverage=expected_bootstrap_coverage(cells, confidence=confidence, seed=seed),
        sign_flip_p=sign_flip_p([c.degradation for c in cells], seed=seed),
        instances=len(cells),
        certain_arms=sum(arm.is_certain for side in arms for arm in side),
    )


def _redrawn_rates(rng: Any, arms: Sequence[Arm], resamples: int) -> Any:
    """One column an arm: the mean over its stages of Binomial(n, p̂)/n."""
    import numpy as np

    rates = np.array([arm.rate for arm in arms])
    stages = np.array([len(arm.stage_sizes) for arm in arms])
    total = np.zeros((resamples, len(arms)))
    for sizes in zip_longest(*(arm.stage_sizes for arm in arms), fillvalue=0):
        runs = np.array(sizes)
        total += rng.binomial(runs, rates, total.shape) / (np.maximum(runs, 1) * stages)
    return total


def _percentiles(values: Any, confidence: float) -> Interval:
    import numpy as np

    tail = (1 - confidence) / 2
    low, high = np.quantile(values, (tail, 1 - tail))
    return Interval(float(low), float(high))


def sign_flip_p(differences: Sequence[float], *, seed: int) -> float:
    """Two-sided sign-flip test of the mean; zero differences are dropped.

    Exact over all 2^m sign patterns while m ≤ 24 are left, else 100,000 seeded flips. 1.0 when none
    is left.
    """
    values = [d for d in differences if abs(d) > _TOLERANCE]
    if not values:
        return 1.0
    observed = abs(math.fsum(values)) - 1e-9
    if len(values) <= _EXACT_UP_TO:
        return _exact_share(values, observed)
    import numpy as np

    rng, weights, extreme = np.random.default_rng(seed), np.array(values), 0
    for _ in range(0, _FLIPS, _AT_ONCE):
        flips = rng.integers(0, 2, (_AT_ONCE, len(values)), dtype=np.int8).astype(float)
        sums = 2 * (flips @ weights) - weights.sum()
        extreme += int((np.abs(sums) >= observed).sum())
    return (extreme + 1) / (_FLIPS + 1)


def _exact_share(values: Sequence[float], observed: float) -> float:
    """The share of sign patterns whose sum is as extreme; sums of two halves, counted by search."""
    import numpy as np

    middle = len(values) // 2
    left, right = (_signed_sums(part) for part in (values[:middle], values[middle:]))
    right.sort()
    above = len(right) - np.searchsorted(right, observed - left, side="left")
    below = np.searchsorted(right, -observed - left, side="right")
    return float((above.sum() + below.sum()) / (len(left) * len(right)))


def _signed_sums(values: Sequence[float]) -> Any:
    import numpy as np

    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums
