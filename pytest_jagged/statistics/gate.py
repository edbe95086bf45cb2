"""From an interval and a margin to a verdict; never from a point estimate."""

from __future__ import annotations

from enum import Enum

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.contracts.settings import FailWhen

__all__ = ["Verdict", "fails", "verdict_on_decrease", "verdict_on_increase"]


class Verdict(str, Enum):
    DEGRADED = "degraded"  # the whole interval lies on the bad side of the margin
    ROBUST = "robust"  # the whole interval lies at or on the good side of it
    INCONCLUSIVE = "inconclusive"


def verdict_on_increase(interval: Interval, margin: float) -> Verdict:
    """For a quantity whose increase is bad (degradation, cost); same unit as the interval."""
    if interval.low > margin:
        return Verdict.DEGRADED
    return Verdict.ROBUST if interval.high <= margin else Verdict.INCONCLUSIVE


def verdict_on_decrease(interval: Interval, floor: float) -> Verdict:
    """For a quantity that must not fall below a floor (resolve rate)."""
    if interval.high < floor:
        return Verdict.DEGRADED
    return Verdict.ROBUST if interval.low >= floor else Verdict.INCONCLUSIVE


def fails(verdict: Verdict, when: FailWhen) -> bool:
    """`not_shown_robust` is the non-inferiority form: what is not shown does not pass."""
    if when is FailWhen.DEGRADED:
        return verdict is Verdict.DEGRADED
    return verdict is not Verdict.ROBUST
