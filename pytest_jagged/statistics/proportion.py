"""Intervals for one proportion and for the difference of two."""

from __future__ import annotations

import math
from statistics import NormalDist

from pytest_jagged.contracts.interval import Interval

__all__ = ["newcombe", "normal_quantile", "wilson"]


def normal_quantile(confidence: float) -> float:
    """Two-sided critical value: 1.95996… for 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(successes: int, n: int, confidence: float) -> Interval:
    """Wilson's score interval (1927), without continuity correction.

    Raises:
        ValueError: n < 1, or successes not within 0..n.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no proportion")
    z = normal_quantile(confidence)
    rate, square = successes / n, z * z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    # The limits are 0 and 1 exactly there, which rounding would miss.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(low, high)


def newcombe(
    baseline_resolved: int,
    baseline_n: int,
    perturbed_resolved: int,
    perturbed_n: int,
    confidence: float,
) -> Interval:
    """Interval for baseline rate − perturbed rate: Newcombe 1998, method 10 (hybrid score).

    Raises:
        ValueError: counts that are no proportions.
    """
    first = wilson(baseline_resolved, baseline_n, confidence)
    second = wilson(perturbed_resolved, perturbed_n, confidence)
    p1, p2 = baseline_resolved / baseline_n, perturbed_resolved / perturbed_n
    difference = p1 - p2
    down = math.hypot(p1 - first.low, second.high - p2)
    up = math.hypot(first.high - p1, p2 - second.low)
    return Interval(difference - down, difference + up)
