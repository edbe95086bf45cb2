"""Ranks of models by robustness, how sure they are, and whether they agree between settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.statistics.cells import PairedInstance
from pytest_jagged.statistics.score import mean_rate

__all__ = ["Ranked", "kendall_tau", "rank_models"]

_DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rank 1 is the smallest mean degradation. `low` and `high` are percentiles of the rank when
    the runs are made anew on these instances; `first` is the chance of rank 1.
    """

    model: str
    mean: float
    rank: int
    low: int
    high: int
    first: float


def rank_models(
    models: Mapping[str, Sequence[PairedInstance]], *, confidence: float, seed: int
) -> tuple[Ranked, ...]:
    """Means redrawn from normal distributions with the variances of `score`, one per model."""
    import numpy as np

    names = sorted(name for name, cells in models.items() if cells)
    if not names:
        return ()
    means, deviations = zip(
        *(_mean_and_deviation(models[n], confidence) for n in names), strict=True
    )
    order = sorted(range(len(names)), key=lambda i: (means[i], names[i]))
    drawn = np.random.default_rng(seed).normal(means, deviations, (_DRAWS, len(names)))
    ranks = drawn.argsort(axis=1).argsort(axis=1) + 1
    tail = (1 - confidence) / 2
    low, high = np.quantile(ranks, (tail, 1 - tail), axis=0, method="nearest")
    first = (ranks == 1).mean(axis=0)
    return tuple(
        Ranked(names[i], means[i], place, int(low[i]), int(high[i]), float(first[i]))
        for place, i in enumerate(order, start=1)
    )


def _mean_and_deviation(cells: Sequence[PairedInstance], confidence: float) -> tuple[float, float]:
    baseline = mean_rate([cell.baseline for cell in cells], confidence)
    perturbed = mean_rate([cell.perturbed for cell in cells], confidence)
    return baseline.mean - perturbed.mean, math.sqrt(baseline.variance + perturbed.variance)


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b; None below two values or where one side is all ties."""
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    signs = [(_sign(first[i] - first[j]), _sign(second[i] - second[j])) for i, j in pairs]
    untied_first = sum(1 for a, _ in signs if a)
    untied_second = sum(1 for _, b in signs if b)
    if not untied_first or not untied_second:
        return None
    return sum(a * b for a, b in signs) / math.sqrt(untied_first * untied_second)


def _sign(value: float) -> int:
    return (value > 1e-12) - (value < -1e-12)
