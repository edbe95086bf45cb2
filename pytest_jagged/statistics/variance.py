"""How much of the spread is the instance's, the variant's, the agent's (paper, Appendix E)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jagged.statistics.cells import PairedInstance

__all__ = ["VarianceSplit", "variance_split"]


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variances of one perturbed run; method of moments, so that a part may come out negative.

    `variant` is σ², `agent` is ν. `identity` is the unbiased estimate of μ(1 − μ), to which σ² + ν
    must sum (exactly, when every variant has the same number of runs).
    """

    instance: float | None
    variant: float
    agent: float
    identity: float
    instances: int
    variants: int


def variance_split(cells: Sequence[PairedInstance]) -> VarianceSplit | None:
    """None unless some instance has two variants with two runs each."""
    tables = []
    for cell in cells:
        groups = cell.perturbed.by_variant().values()
        repeated = [(sum(runs) / len(runs), len(runs)) for runs in groups if len(runs) > 1]
        if len(repeated) > 1:
            tables.append(repeated)
    if not tables:
        return None
    parts = [_within(table) for table in tables]
    sigma, nu, identity = (_mean([part[i] for part in parts]) for i in (0, 1, 2))
    return VarianceSplit(
        instance=_between(tables),
        variant=sigma,
        agent=nu,
        identity=identity,
        instances=len(tables),
        variants=sum(len(table) for table in tables),
    )


def _within(table: Sequence[tuple[float, int]]) -> tuple[float, float, float]:
    """σ², ν and μ(1 − μ) of one instance, from its variants' rates and numbers of runs."""
    noise = [rate * (1 - rate) / (runs - 1) for rate, runs in table]  # variance of each rate
    nu = _mean([value * runs for value, (_, runs) in zip(noise, table, strict=True)])
    rates = [rate for rate, _ in table]
    centre, spread = _mean(rates), _spread(rates)
    sigma = spread - _mean(noise)
    return sigma, nu, centre * (1 - centre) + spread / len(rates)


def _between(tables: Sequence[Sequence[tuple[float, int]]]) -> float | None:
    if len(tables) < 2:
        return None
    rates = [[rate for rate, _ in table] for table in tables]
    noise = _mean([_spread(r) / len(r) for r in rates])
    return _spread([_mean(r) for r in rates]) - noise


def _spread(values: Sequence[float]) -> float:
    centre = _mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
