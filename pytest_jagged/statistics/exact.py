"""Exact unconditional p-values for a difference of two proportions against a margin."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pytest_jagged.statistics.proportion import newcombe

__all__ = ["exceeds_margin_p"]

_GRID = 256
_ORDERED_BY = 0.95


def exceeds_margin_p(k1: int, n1: int, k2: int, n2: int, margin: float) -> float:
    """One-sided p for p1 − p2 > margin: the largest chance, over rates with p1 − p2 = margin, of an
    outcome whose Newcombe lower limit is as high (Barnard's construction). *margin* in rates.

    `exceeds_margin_p(k2, n2, k1, n1, -margin)` is the p-value for p1 − p2 < margin.
    """
    import numpy as np

    if margin >= 1:
        return 1.0
    if margin < -1:
        return 0.0
    limits = _lower_limits(n1, n2)
    region = (limits >= limits[k1, k2] - 1e-12).astype(float)
    second = np.linspace(max(0.0, -margin), min(1.0, 1 - margin), _GRID)
    first, second = _masses(n1, np.clip(second + margin, 0, 1)), _masses(n2, second)
    return float(min(1.0, ((first @ region) * second).sum(axis=1).max()))


@lru_cache(maxsize=64)
def _lower_limits(n1: int, n2: int) -> Any:
    import numpy as np

    return np.array(
        [[newcombe(i, n1, j, n2, _ORDERED_BY).low for j in range(n2 + 1)] for i in range(n1 + 1)]
    )


def _masses(n: int, rates: Any) -> Any:
    """Binomial masses: one row a rate."""
    import math

    import numpy as np

    k = np.arange(n + 1)
    ways = np.array([float(math.comb(n, i)) for i in range(n + 1)])
    return ways * rates[:, None] ** k * (1 - rates[:, None]) ** (n - k)
