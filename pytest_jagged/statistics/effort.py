"""Relative change of steps, tokens, cost and time over instances (paper, "Effort and cost")."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.log_ratio import LogRatio, log_ratio
from pytest_jagged.statistics.samples import Sample

__all__ = ["Exclusion", "RelativeChange", "change_of_means", "relative_change"]

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


def relative_change(
    cells: Sequence[PairedInstance],
    sample_of: Callable[[Arm], Sample],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> RelativeChange:
    """The interval resamples runs within each instance, arm and stage (instances are fixed)."""
    pairs: list[tuple[Sample, Sample]] = []
    excluded: list[Exclusion] = []
    for cell in cells:
        base, pert = sample_of(cell.baseline), sample_of(cell.perturbed)
        reason = _refusal(base, pert)
        if reason is None:
            pairs.append((base, pert))
        else:
            excluded.append(Exclusion(cell.id, reason))
    if not pairs:
        return _unknown(excluded)
    return RelativeChange(
        mean=math.fsum(pert.mean / base.mean - 1 for base, pert in pairs) / len(pairs),
        interval=_bootstrap(pairs, confidence, resamples, seed),
        estimand=Estimand.THESE_INSTANCES,
        instances=len(pairs),
        excluded=tuple(excluded),
        single_runs=sum(len(sample.values) == 1 for pair in pairs for sample in pair),
        ratio=log_ratio(pairs, confidence),
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


def _refusal(base: Sample, pert: Sample) -> str | None:
    for sample, condition in ((base, "the baseline"), (pert, "perturbed")):
        if not sample.values:
            return f"no run with a known value in {condition}"
    return "baseline is zero" if base.mean == 0 else None


def _bootstrap(
    pairs: Sequence[tuple[Sample, Sample]], confidence: float, resamples: int, seed: int
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


def _resampled_means(rng: Any, arms: Sequence[Sample], resamples: int) -> Any:
    """One column an arm (the mean of its stages'), from one table of resampling weights per number
    of runs.

    The rows are put in a new order for each stage of an arm, so that all stay independent; drawing
    every run of every arm gives the same distribution at twenty times the cost.
    """
    import numpy as np

    means = np.zeros((resamples, len(arms)))
    by_size: dict[int, list[tuple[int, int, tuple[float, ...]]]] = {}
    for index, arm in enumerate(arms):
        for values in arm.strata:
            stages = len(arm.strata)
            by_size.setdefault(len(values), []).append((index, stages, values))
    for n in sorted(by_size):
        strata = by_size[n]
        drawn = _weights(rng, n, resamples) @ np.array([values for _, _, values in strata]).T
        for place, (index, stages, _) in enumerate(strata):
            means[:, index] += drawn[rng.permutation(resamples), place] / stages
    return means


def _weights(rng: Any, n: int, resamples: int) -> Any:
    """Each row: how often a resample of n runs takes each of them, over n."""
    import numpy as np

    chosen = rng.integers(0, n, (resamples, n))
    chosen += n * np.arange(resamples)[:, None]
    return np.bincount(chosen.ravel(), minlength=n * resamples).reshape(resamples, n) / n
