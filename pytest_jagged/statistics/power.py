"""What a study can see before it is paid for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from pytest_jagged.statistics.cells import Arm
from pytest_jagged.statistics.proportion import normal_quantile

__all__ = ["PUBLISHED_NOISE", "Design", "detectable", "noise_of", "power_of", "runs_needed"]

# Mean p(1 − p) of a run over the cells that the paper's repository publishes with their counts
# (CSU-TrustLab/jagged-frontier, commit de0871a): what to expect before anything has been run.
PUBLISHED_NOISE = 0.073


@dataclass(frozen=True, slots=True)
class Design:
    """`noise` is the mean over instances and conditions of p(1 − p); `runs` are per condition."""

    instances: int
    runs: int
    noise: float
    confidence: float = 0.95

    @property
    def standard_error(self) -> float:
        """Of the mean degradation: these instances, new runs."""
        return math.sqrt(2 * self.noise / (self.instances * self.runs))

    @property
    def half_width(self) -> float:
        return normal_quantile(self.confidence) * self.standard_error


def noise_of(arms: Sequence[Arm]) -> float | None:
    """Unbiased mean of p(1 − p) from arms with at least two runs; None without any."""
    values = [a.rate * (1 - a.rate) * a.runs / (a.runs - 1) for a in arms if a.runs > 1]
    return math.fsum(values) / len(values) if values else None


def detectable(design: Design, *, margin: float = 0.0, power: float = 0.8) -> float:
    """The smallest true mean degradation that a gate of *margin* finds degraded with *power*."""
    return margin + (design.half_width + NormalDist().inv_cdf(power) * design.standard_error)


def power_of(design: Design, degradation: float, *, margin: float = 0.0) -> float:
    """The chance of the verdict degraded when *degradation* is true."""
    distance = (degradation - margin) / design.standard_error
    return NormalDist().cdf(distance - normal_quantile(design.confidence))


def runs_needed(
    design: Design, degradation: float, *, margin: float = 0.0, power: float = 0.8
) -> int | None:
    """Runs per condition and instance; None when *degradation* does not lie above the margin."""
    if degradation <= margin:
        return None
    quantiles = normal_quantile(design.confidence) + NormalDist().inv_cdf(power)
    runs = 2 * design.noise / design.instances * (quantiles / (degradation - margin)) ** 2
    return max(1, math.ceil(runs - 1e-9))
