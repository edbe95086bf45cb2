"""ReCode's robustness figures for outcomes paired by sample index (arXiv 2212.10264, section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jagged.statistics.consistency import pass_at_k

__all__ = ["TaskOutcomes", "nominal_pass", "robust_drop", "robust_pass", "robust_relative"]


@dataclass(frozen=True, slots=True)
class TaskOutcomes:
    """Sample i of every variant stands against sample i of the nominal prompt; n samples each."""

    nominal: tuple[bool, ...]
    variants: tuple[tuple[bool, ...], ...]

    @property
    def worst(self) -> tuple[bool, ...]:
        return tuple(all(column) for column in zip(*self.variants, strict=True))

    @property
    def best(self) -> tuple[bool, ...]:
        return tuple(any(column) for column in zip(*self.variants, strict=True))


def nominal_pass(tasks: Sequence[TaskOutcomes], k: int) -> float:
    """Mean pass@k without perturbation."""
    return _mean([pass_at_k(len(t.nominal), sum(t.nominal), k) for t in tasks])


def robust_pass(tasks: Sequence[TaskOutcomes], k: int) -> float:
    """RP_s@k: pass@k where a sample counts only if all s variants solve it."""
    return _mean([pass_at_k(len(t.worst), sum(t.worst), k) for t in tasks])


def robust_drop(tasks: Sequence[TaskOutcomes], k: int) -> float | None:
    """RD_s@k, relative to nominal; None when nothing is solved nominally. May be negative."""
    nominal = nominal_pass(tasks, k)
    return (nominal - robust_pass(tasks, k)) / nominal if nominal else None


def robust_relative(tasks: Sequence[TaskOutcomes], k: int, *, as_published: bool = False) -> float:
    """RR_s@k: right → wrong under some variant, plus wrong → right under some variant.

    *as_published* counts as the published code does: any difference of `worst` from nominal is a
    loss, also a sample that every variant repairs. The same for k = 1; another number beyond.
    """
    count = _changes_as_published if as_published else _changes
    total = []
    for task in tasks:
        n = len(task.nominal)
        lost, won = count(task)
        total.append(pass_at_k(n, lost, k) + pass_at_k(n, won, k))
    return _mean(total)


def _changes(task: TaskOutcomes) -> tuple[int, int]:
    lost = sum(p and not w for p, w in zip(task.nominal, task.worst, strict=True))
    won = sum(b and not p for p, b in zip(task.nominal, task.best, strict=True))
    return lost, won


def _changes_as_published(task: TaskOutcomes) -> tuple[int, int]:
    triples = list(zip(task.nominal, task.worst, task.best, strict=True))
    lost = sum(w != p for p, w, _ in triples)
    return lost, sum(w == p and b != p for p, w, b in triples)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
