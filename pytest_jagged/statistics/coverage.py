"""How often an interval would hold the truth, in studies like this one."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.proportion import normal_quantile

__all__ = ["ADEQUATE_COVERAGE", "bootstrap_coverage", "expected_bootstrap_coverage"]

# For a nominal 0.95; what the paper's own design (20 runs) reaches nearly everywhere.
ADEQUATE_COVERAGE = 0.93
_STUDIES = 4000


def expected_bootstrap_coverage(
    cells: Sequence[PairedInstance], *, confidence: float, seed: int
) -> float:
    """Of the paper's binomial bootstrap, were the true rates (k + ½)/(n + 1) of each arm."""
    sides = (
        [_smoothed(arm) for arm in arms]
        for arms in ([c.baseline for c in cells], [c.perturbed for c in cells])
    )
    return bootstrap_coverage(*sides, confidence=confidence, seed=seed)


def _smoothed(arm: Arm) -> tuple[int, float]:
    runs = max(1, round(arm.effective_runs))
    return runs, (arm.rate * runs + 0.5) / (runs + 1)


def bootstrap_coverage(
    baseline: Sequence[tuple[int, float]],
    perturbed: Sequence[tuple[int, float]],
    *,
    confidence: float,
    seed: int,
) -> float:
    """For true (runs, rate) of each instance; the bootstrap plugs in p̂(1 − p̂)/n, which is too
    small by (n − 1)/n and zero at rates of 0 and 1.

    Simulated over seeded studies, its percentiles taken as those of a normal distribution.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    error, variance = np.zeros(_STUDIES), np.zeros(_STUDIES)
    for sign, side in ((1, baseline), (-1, perturbed)):
        for runs, truth in side:
            rates = rng.binomial(runs, truth, _STUDIES) / runs
            error += sign * (rates - truth)
            variance += rates * (1 - rates) / runs
    held = np.abs(error) <= normal_quantile(confidence) * np.sqrt(variance) + 1e-12
    return float(held.mean())
