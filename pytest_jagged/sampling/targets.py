"""Algorithm 2 of the paper: bind keyword-bound transformations to their targets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.contracts.transformation import Transformation

__all__ = ["Bound", "Stream", "assign_target_names"]

Bound = tuple[Transformation, str | None]
# A generator of its own for a purpose, e.g. `stream("targets", "dead_method_injection")`.
Stream = Callable[..., random.Random]

_BOUND_TO_METHODS = "dead_method_injection"


def assign_target_names(
    selected: Sequence[Transformation],
    keywords: Keywords,
    max_keywords: int,
    stream: Stream,
) -> tuple[Bound, ...]:
    """AssignTargetNames(𝒯_selected, 𝒦, N_k); the numbers are the lines of Algorithm 2.

    Pairs keep the order in which their transformations were drawn.
    """
    bound: list[Bound] = []  # 4
    for transformation in selected:  # 5
        if not transformation.keyword_bound:  # 6
            bound.append((transformation, None))  # 7
            continue
        names = _candidates(keywords, transformation)  # 9
        if not names:  # 10
            bound.append((transformation, None))  # 11
            continue
        rng = stream("targets", transformation.name)
        targeted = rng.sample(names, min(max_keywords, len(names)))  # 13
        bound += [(transformation, target) for target in targeted]  # 14-16
    return tuple(bound)  # 20


def _candidates(keywords: Keywords, transformation: Transformation) -> tuple[str, ...]:
    """𝒦[t]: method names for Dead Method Injection, literal strings for every other."""
    if transformation.name == _BOUND_TO_METHODS:
        return keywords.methods
    return keywords.literals
