"""Intervals for one proportion and for the difference of two."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

from pytest_jagged.contracts.interval import Interval

__all__ = ["hybrid_difference", "newcombe", "normal_quantile", "score_limits", "wilson"]


@cache
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
    return score_limits(successes / n, n, confidence)


def score_limits(rate: float, n: float, confidence: float) -> Interval:
    """Wilson's limits for a rate that carries the information of *n* runs, whole or not."""
    z = normal_quantile(confidence)
    square = z * z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    # The limits are 0 and 1 exactly there, which rounding would miss.
    low = 0.0 if rate == 0 else centre - half
    high = 1.0 if rate == 1 else centre + half
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
    return hybrid_difference(p1, first, p2, second)


def hybrid_difference(
    p1: float, first: Interval, p2: float, second: Interval, correlation: float = 0.0
) -> Interval:
    """p1 − p2 from the limits of each (Newcombe 1998; correlated: Zou and Donner 2008)."""
    difference = p1 - p2
    down = _combined(p1 - first.low, second.high - p2, correlation)
    up = _combined(first.high - p1, p2 - second.low, correlation)
    return Interval(difference - down, difference + up)


def _combined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))
