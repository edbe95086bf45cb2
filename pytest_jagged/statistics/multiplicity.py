"""Many instances, many claims: chance, Holm, Benjamini–Hochberg."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from pytest_jagged.statistics.proportion import newcombe

__all__ = ["benjamini_hochberg", "chance_of_excluding_zero", "fisher_p", "holm"]


def fisher_p(k1: int, n1: int, k2: int, n2: int) -> float:
    """Fisher's exact two-sided p (tables no likelier than the one seen); valid at any rate."""
    total, both = k1 + k2, math.comb(n1 + n2, k1 + k2)
    weights = {
        k: math.comb(n1, k) * math.comb(n2, total - k)
        for k in range(max(0, total - n2), min(n1, total) + 1)
    }
    limit = weights[k1] * (1 + 1e-12)
    return min(1.0, sum(weight for weight in weights.values() if weight <= limit) / both)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values: below α with probability ≤ α for any true null (Holm 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = worst
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values for the false discovery rate (Benjamini and Hochberg 1995)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__, reverse=True)
    adjusted, best = [0.0] * len(p_values), 1.0
    for above, index in enumerate(order):
        rank = len(p_values) - above
        best = min(best, p_values[index] * len(p_values) / rank)
        adjusted[index] = best
    return tuple(adjusted)


def chance_of_excluding_zero(rate: float, n1: int, n2: int, confidence: float) -> float:
    """Probability that Newcombe's interval excludes zero when both true rates are *rate*; exact."""
    p1, p2 = _binomial(rate, n1), _binomial(rate, n2)
    return math.fsum(p1[i] * p2[j] for i, j in _excluding(n1, n2, confidence))


@lru_cache(maxsize=256)
def _excluding(n1: int, n2: int, confidence: float) -> tuple[tuple[int, int], ...]:
    return tuple(
        (i, j)
        for i in range(n1 + 1)
        for j in range(n2 + 1)
        if not newcombe(i, n1, j, n2, confidence).contains(0.0)
    )


def _binomial(rate: float, n: int) -> list[float]:
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]
