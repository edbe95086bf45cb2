"""Student's t, without the second that importing scipy takes."""

from __future__ import annotations

import math

from pytest_jagged.statistics.proportion import normal_quantile

__all__ = ["t_quantile", "t_two_sided_p"]


def t_two_sided_p(t: float, df: float) -> float:
    """P(|T| ≥ |t|) = I_x(df/2, ½) with x = df/(df + t²)."""
    return _incomplete_beta(df / 2, 0.5, df / (df + t * t))


def t_quantile(confidence: float, df: float) -> float:
    """Two-sided critical value: 12.706… for 0.95 at one degree of freedom."""
    wanted = 1 - confidence
    low, high = 0.0, normal_quantile(confidence)
    while t_two_sided_p(high, df) > wanted:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided_p(middle, df) > wanted else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised, by Lentz's continued fraction (Numerical Recipes 6.4)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log_front + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * fraction
