"""What each transformation does to outcome and cost, within instances.

Transformations are drawn at random for every variant, so that variants of one instance with and
without a transformation differ by it alone, apart from what was drawn in its place: an effect is
that of drawing the transformation *rather than another*. Comparing within instances removes their
difficulty. Drawn counts, applied or not (a draw that found no site is part of what it does).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.multiplicity import benjamini_hochberg, holm
from pytest_jagged.statistics.student import t_quantile, t_two_sided_p

__all__ = [
    "Attribution",
    "Combination",
    "Effect",
    "PerturbedVariant",
    "TransformationEffect",
    "attribution",
]


@dataclass(frozen=True, slots=True)
class PerturbedVariant:
    """One variant with its runs, which count once (they share what was drawn).

    In a staged study variants are compared within a stage of an instance: which instances got more
    of them was decided by what earlier stages saw.
    """

    instance_id: str
    transformations: tuple[str, ...]
    applied: tuple[str, ...]
    runs: int
    resolved: int
    mean_log_cost: float | None
    lines_share: float
    gold_lines_share: float
    stage: int = 0


@dataclass(frozen=True, slots=True)
class Effect:
    """Slope with a robust t interval; p-values are two-sided, adjusted over transformations."""

    value: float
    interval: Interval
    p: float
    holm_p: float
    fdr_p: float
    instances: int


@dataclass(frozen=True, slots=True)
class TransformationEffect:
    """`lift`: failure rate with minus without; `log_cost`: ln of the cost ratio. None: unknown."""

    name: str
    drawn: int
    applied: int
    lift: Effect | None
    log_cost: Effect | None


@dataclass(frozen=True, slots=True)
class Combination:
    names: tuple[str, ...]
    runs: int
    resolved: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """`dose`: rise of the failure rate per share 1.0 of changed source, and of gold-file, lines."""

    transformations: tuple[TransformationEffect, ...]
    combinations: tuple[Combination, ...]
    dose: Mapping[str, Effect | None]


Value = Callable[[PerturbedVariant], float | None]


def attribution(variants: Sequence[PerturbedVariant], confidence: float) -> Attribution | None:
    """None when no variant drew a transformation."""
    names = sorted({name for variant in variants for name in variant.transformations})
    if not names:
        return None
    drawn = [[v for v in variants if name in v.transformations] for name in names]
    lifts = _adjusted([_effect(variants, _has(n), _failure, confidence) for n in names])
    costs = _adjusted([_effect(variants, _has(n), _log_cost, confidence) for n in names])
    effects = (
        TransformationEffect(name, len(with_it), sum(name in v.applied for v in with_it), *found)
        for name, with_it, *found in zip(names, drawn, lifts, costs, strict=True)
    )
    return Attribution(
        transformations=tuple(effects),
        combinations=_combinations(variants),
        dose={
            "lines": _effect(variants, lambda v: v.lines_share, _failure, confidence),
            "gold_lines": _effect(variants, lambda v: v.gold_lines_share, _failure, confidence),
        },
    )


def _has(name: str) -> Value:
    return lambda variant: float(name in variant.transformations)


def _failure(variant: PerturbedVariant) -> float:
    return 1 - variant.resolved / variant.runs


def _log_cost(variant: PerturbedVariant) -> float | None:
    return variant.mean_log_cost


def _combinations(variants: Sequence[PerturbedVariant]) -> tuple[Combination, ...]:
    groups: dict[tuple[str, ...], list[PerturbedVariant]] = {}
    for variant in variants:
        groups.setdefault(tuple(sorted(variant.transformations)), []).append(variant)
    return tuple(
        Combination(names, sum(v.runs for v in group), sum(v.resolved for v in group))
        for names, group in sorted(groups.items())
    )


def _effect(
    variants: Sequence[PerturbedVariant], cause: Value, result: Value, confidence: float
) -> Effect | None:
    """Slope of *result* on *cause* with an intercept for each instance; None without variation."""
    groups: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for variant in variants:
        x, y = cause(variant), result(variant)
        if x is not None and y is not None:
            groups.setdefault((variant.instance_id, variant.stage), []).append((x, y))
    informative = {key: g for key, g in groups.items() if max(g)[0] - min(g)[0] > 1e-12}
    centred = [pair for group in informative.values() for pair in _centred(group)]
    freedom = len(centred) - len(informative) - 1
    if freedom < 1:
        return None
    square = math.fsum(x * x for x, _ in centred)
    slope = math.fsum(x * y for x, y in centred) / square
    errors = math.fsum((x * (y - slope * x)) ** 2 for x, y in centred)
    deviation = math.sqrt(errors * len(centred) / freedom) / square
    if deviation == 0:
        return None
    half = t_quantile(confidence, freedom) * deviation
    p = t_two_sided_p(slope / deviation, freedom)
    return Effect(
        slope, Interval(slope - half, slope + half), p, p, p, len({i for i, _ in informative})
    )


def _centred(group: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    mean_x = math.fsum(x for x, _ in group) / len(group)
    mean_y = math.fsum(y for _, y in group) / len(group)
    return [(x - mean_x, y - mean_y) for x, y in group]


def _adjusted(effects: Sequence[Effect | None]) -> list[Effect | None]:
    found = [effect for effect in effects if effect is not None]
    p_values = [effect.p for effect in found]
    pairs = iter(zip(found, holm(p_values), benjamini_hochberg(p_values), strict=True))
    adjusted: list[Effect | None] = []
    for effect in effects:
        if effect is None:
            adjusted.append(None)
            continue
        old, holm_p, fdr_p = next(pairs)
        adjusted.append(Effect(old.value, old.interval, old.p, holm_p, fdr_p, old.instances))
    return adjusted
