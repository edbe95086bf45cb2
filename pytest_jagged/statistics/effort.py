"""Relative change of steps and cost, per instance and on average (paper, "Effort and cost")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance

__all__ = ["Exclusion", "RelativeChange", "Values", "all_runs", "relative_change", "resolved_runs"]

Values = Callable[[Arm], Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An instance that an estimate leaves out, and why."""

    instance_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RelativeChange:
    """Mean over instances of perturbed mean / baseline mean − 1, as a fraction.

    `mean` and `interval` are None when no instance is left.
    """

    mean: float | None
    interval: Interval | None
    estimand: Estimand
    instances: int
    excluded: tuple[Exclusion, ...]


def all_runs(values: Values) -> Values:
    """Every measured run whose value is known."""
    return lambda arm: [v for v in values(arm) if v is not None]


def resolved_runs(values: Values) -> Values:
    """Resolved runs only, in both conditions."""
    return lambda arm: [
        v for v, ok in zip(values(arm), arm.resolved, strict=True) if ok and v is not None
    ]


def relative_change(
    cells: Sequence[PairedInstance],
    values: Values,
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> RelativeChange:
    """The interval resamples runs within each instance and arm (instances are fixed)."""
    import numpy as np

    pairs: list[tuple[Any, Any]] = []
    excluded: list[Exclusion] = []
    for cell in cells:
        base, pert = (np.array(values(arm), float) for arm in (cell.baseline, cell.perturbed))
        reason = _refusal(base, pert)
        if reason is None:
            pairs.append((base, pert))
        else:
            excluded.append(Exclusion(cell.id, reason))
    if not pairs:
        return RelativeChange(None, None, Estimand.THESE_INSTANCES, 0, tuple(excluded))
    mean = float(np.mean([pert.mean() / base.mean() - 1 for base, pert in pairs]))
    rng = np.random.default_rng(seed)
    total = np.zeros(resamples)
    for base, pert in pairs:
        total += _resampled_means(rng, pert, resamples) / _resampled_means(rng, base, resamples) - 1
    draws = total / len(pairs)
    # A resample of nothing but zeros has no ratio; it is left out, not counted as infinite.
    draws = draws[np.isfinite(draws)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, (tail, 1 - tail))
    interval = Interval(float(low), float(high))
    return RelativeChange(mean, interval, Estimand.THESE_INSTANCES, len(pairs), tuple(excluded))


def _refusal(base: Any, pert: Any) -> str | None:
    if not len(base) or not len(pert):
        return "no run with a known value in " + ("the baseline" if not len(base) else "perturbed")
    return "baseline is zero" if base.sum() == 0 else None


def _resampled_means(rng: Any, values: Any, resamples: int) -> Any:
    import numpy as np

    if len(set(values.tolist())) == 1:
        return np.full(resamples, values[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        return values[rng.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
