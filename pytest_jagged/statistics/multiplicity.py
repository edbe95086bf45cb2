"""How many per-instance intervals exclude zero, and how many would by chance."""

from __future__ import annotations

import math

from pytest_jagged.statistics.proportion import newcombe

__all__ = ["chance_of_excluding_zero", "excludes_zero"]


def excludes_zero(
    baseline_resolved: int,
    baseline_n: int,
    perturbed_resolved: int,
    perturbed_n: int,
    confidence: float,
) -> bool:
    interval = newcombe(baseline_resolved, baseline_n, perturbed_resolved, perturbed_n, confidence)
    return interval.low > 0 or interval.high < 0


def chance_of_excluding_zero(rate: float, n1: int, n2: int, confidence: float) -> float:
    """Probability that Newcombe's interval excludes zero when both true rates are *rate*; exact."""
    p1, p2 = _binomial(rate, n1), _binomial(rate, n2)
    return math.fsum(
        p1[i] * p2[j]
        for i in range(n1 + 1)
        for j in range(n2 + 1)
        if p1[i] * p2[j] > 1e-12 and excludes_zero(i, n1, j, n2, confidence)
    )


def _binomial(rate: float, n: int) -> list[float]:
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]
