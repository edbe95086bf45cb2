"""Success over several runs: pass@k, pass^k, and ReCode's worst cases for an agent.

All estimates are unbiased. A *unit* is a run of the baseline, or a variant with its resolve rate
(one run a variant: 0 or 1); the mean over all sets of k units of the product of their rates is
e_k(rates) / C(n, k), which for rates of 0 and 1 is the familiar C(c, k) / C(n, k).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.cells import Arm, PairedInstance

__all__ = ["Consistency", "WorstCase", "consistency", "pass_at_k", "pass_hat_k"]

_SIZES = (1, 2, 5, 10, 20)
_VARIANTS = 5  # ReCode's s


@dataclass(frozen=True, slots=True)
class WorstCase:
    """RP_s@1 (all of s variants solved), RD_s@1 (its relative drop from nominal) and RR_s@1 (any of
    s variants differs from nominal), each with the same figure from reruns of the baseline alone:
    its noise floor. Intervals resample instances; `rd` is None when nothing is solved nominally.
    """

    variants: int
    nominal: float
    rp: float
    rp_floor: float
    rp_excess: Interval
    rd: float | None
    rd_floor: float | None
    rr: float
    rr_floor: float
    rr_excess: Interval
    instances: int


@dataclass(frozen=True, slots=True)
class Consistency:
    """Means over instances by k, for k up to the fewest units of any instance."""

    pass_at: Mapping[int, tuple[float, float]]  # k: (baseline, perturbed)
    pass_hat: Mapping[int, tuple[float, float]]
    worst_case: WorstCase | None


def pass_at_k(n: int, c: int, k: int) -> float:
    """At least one of k runs resolves, from c of n (Chen et al. 2021)."""
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """All of k runs resolve, from c of n (Yao et al. 2024)."""
    return math.comb(c, k) / math.comb(n, k)


def consistency(
    cells: Sequence[PairedInstance], *, confidence: float, resamples: int, seed: int
) -> Consistency | None:
    if not cells:
        return None
    units = [(_units(cell.baseline), _units(cell.perturbed)) for cell in cells]
    fewest = min(len(side) for pair in units for side in pair)
    sizes = [k for k in _SIZES if k <= fewest]
    return Consistency(
        pass_at={
            k: _mean_pair([(1 - _none(b, k), 1 - _none(p, k)) for b, p in units]) for k in sizes
        },
        pass_hat={k: _mean_pair([(_all(b, k), _all(p, k)) for b, p in units]) for k in sizes},
        worst_case=_worst_case(units, confidence, resamples, seed),
    )


Units = list[float]


def _units(arm: Arm) -> Units:
    if not arm.repeats_variants:
        return [float(resolved) for resolved in arm.resolved]
    return [sum(runs) / len(runs) for runs in arm.by_variant().values()]


def _all(rates: Units, k: int) -> float:
    """Elementary symmetric polynomial e_k over its number of terms."""
    sums = [1.0] + [0.0] * k
    for rate in rates:
        for size in range(k, 0, -1):
            sums[size] += rate * sums[size - 1]
    return sums[k] / math.comb(len(rates), k)


def _none(rates: Units, k: int) -> float:
    return _all([1 - rate for rate in rates], k)


def _mean_pair(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return _mean([first for first, _ in pairs]), _mean([second for _, second in pairs])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _worst_case(
    units: Sequence[tuple[Units, Units]], confidence: float, resamples: int, seed: int
) -> WorstCase | None:
    """The floor of RR takes s + 1 reruns, so s stays below the number of baseline runs."""
    s = min(_VARIANTS, *(min(len(base) - 1, len(pert)) for base, pert in units))
    if s < 1:
        return None
    rows = [_figures(base, pert, s) for base, pert in units]
    columns = zip(*rows, strict=True)
    nominal, rp, rp_floor, rr, rr_floor = (math.fsum(c) / len(rows) for c in columns)
    intervals = _excess_intervals(rows, confidence, resamples, seed)
    return WorstCase(
        variants=s,
        nominal=nominal,
        rp=rp,
        rp_floor=rp_floor,
        rp_excess=intervals[0],
        rd=(nominal - rp) / nominal if nominal else None,
        rd_floor=(nominal - rp_floor) / nominal if nominal else None,
        rr=rr,
        rr_floor=rr_floor,
        rr_excess=intervals[1],
        instances=len(rows),
    )


def _figures(base: Units, pert: Units, s: int) -> tuple[float, float, float, float, float]:
    nominal = math.fsum(base) / len(base)
    rp, same = _all(pert, s), nominal * _all(pert, s) + (1 - nominal) * _none(pert, s)
    floor_same = _all(base, s + 1) + _none(base, s + 1)
    return nominal, rp, _all(base, s), 1 - same, 1 - floor_same


def _excess_intervals(
    rows: Sequence[tuple[float, float, float, float, float]],
    confidence: float,
    resamples: int,
    seed: int,
) -> tuple[Interval, Interval]:
    """How much worse than reruns: floor − RP and RR − floor, over resampled instances."""
    import numpy as np

    table = np.array([(row[2] - row[1], row[3] - row[4]) for row in rows])
    chosen = np.random.default_rng(seed).integers(0, len(rows), (resamples, len(rows)))
    tail = (1 - confidence) / 2
    rp, rr = (np.quantile(table[:, c][chosen].mean(axis=1), (tail, 1 - tail)) for c in (0, 1))
    return Interval(float(rp[0]), float(rp[1])), Interval(float(rr[0]), float(rr[1]))
