"""Relative change of steps, tokens, cost and time over instances (paper, "Effort and cost")."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.log_ratio import LogRatio, log_ratio

__all__ = [
    "Exclusion",
    "RelativeChange",
    "Values",
    "all_runs",
    "change_of_means",
    "relative_change",
    "resolved_runs",
]

Values = Callable[[Arm], Sequence[float | None]]
_NO_RUNS = "the source holds means only, not runs"
_NOTHING = "no instance has known values in both conditions"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An instance that an estimate leaves out, and why."""

    instance_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RelativeChange:
    """Mean over instances of perturbed mean / baseline mean − 1, as a fraction.

    What is None has its `reason`. `single_runs` counts the arms of one run, which add no variance
    to the interval. `ratio` is the form that gates use (statistics.log_ratio).
    """

    mean: float | None
    interval: Interval | None
    estimand: Estimand
    instances: int
    excluded: tuple[Exclusion, ...]
    single_runs: int = 0
    ratio: LogRatio | None = None
    reason: str | None = None


def all_runs(values: Values) -> Values:
    """Every measured run whose value is known."""
    return lambda arm: [v for v in values(arm) if v is not None]


def resolved_runs(values: Values) -> Values:
    """Resolved runs only, in both conditions."""
    return lambda arm: [
        v for v, ok in zip(values(arm), arm.resolved, strict=False) if ok and v is not None
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
        return _unknown(excluded)
    return RelativeChange(
        mean=float(np.mean([pert.mean() / base.mean() - 1 for base, pert in pairs])),
        interval=_bootstrap(pairs, confidence, resamples, seed),
        estimand=Estimand.THESE_INSTANCES,
        instances=len(pairs),
        excluded=tuple(excluded),
        single_runs=sum(len(values) == 1 for pair in pairs for values in pair),
        ratio=log_ratio([(b.tolist(), p.tolist()) for b, p in pairs], confidence),
    )


def change_of_means(
    means: Sequence[tuple[str, float | None, float | None]],
) -> RelativeChange:
    """From (instance, baseline mean, perturbed mean): the estimate alone, as runs are not known."""
    ratios, excluded = [], []
    for instance_id, base, pert in means:
        if base is None or pert is None:
            missing = "the baseline" if base is None else "perturbed"
            excluded.append(Exclusion(instance_id, f"no known mean in {missing}"))
        elif base == 0:
            excluded.append(Exclusion(instance_id, "baseline is zero"))
        else:
            ratios.append(pert / base - 1)
    if not ratios:
        return _unknown(excluded)
    mean, these = math.fsum(ratios) / len(ratios), Estimand.THESE_INSTANCES
    return RelativeChange(mean, None, these, len(ratios), tuple(excluded), reason=_NO_RUNS)


def _unknown(excluded: Sequence[Exclusion]) -> RelativeChange:
    these = Estimand.THESE_INSTANCES
    return RelativeChange(None, None, these, 0, tuple(excluded), reason=_NOTHING)


def _refusal(base: Any, pert: Any) -> str | None:
    if not len(base) or not len(pert):
        return "no run with a known value in " + ("the baseline" if not len(base) else "perturbed")
    return "baseline is zero" if base.sum() == 0 else None


def _bootstrap(
    pairs: Sequence[tuple[Any, Any]], confidence: float, resamples: int, seed: int
) -> Interval | None:
    import numpy as np

    rng = np.random.default_rng(seed)
    base = _resampled_means(rng, [base for base, _ in pairs], resamples)
    pert = _resampled_means(rng, [pert for _, pert in pairs], resamples)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = (pert / base - 1).mean(axis=1)
    # A resample of nothing but zeros has no ratio; it is left out, not counted as infinite.
    draws = draws[np.isfinite(draws)]
    if not len(draws):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, (tail, 1 - tail))
    return Interval(float(low), float(high))


def _resampled_means(rng: Any, arms: Sequence[Any], resamples: int) -> Any:
    """One column an arm, from one table of resampling weights per number of runs.

    The rows are put in a new order for each arm, so that arms stay independent; drawing every run
    of every arm gives the same distribution at twenty times the cost.
    """
    import numpy as np

    means = np.empty((resamples, len(arms)))
    for n in sorted({len(arm) for arm in arms}):
        columns = [index for index, arm in enumerate(arms) if len(arm) == n]
        drawn = _weights(rng, n, resamples) @ np.stack([arms[index] for index in columns], 1)
        for place, index in enumerate(columns):
            means[:, index] = drawn[rng.permutation(resamples), place]
    return means


def _weights(rng: Any, n: int, resamples: int) -> Any:
    """Each row: how often a resample of n runs takes each of them, over n."""
    import numpy as np

    chosen = rng.integers(0, n, (resamples, n))
    chosen += n * np.arange(resamples)[:, None]
    return np.bincount(chosen.ravel(), minlength=n * resamples).reshape(resamples, n) / n
