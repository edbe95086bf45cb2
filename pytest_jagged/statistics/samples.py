"""Known values of runs, with the weights that their stages give them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_jagged.statistics.cells import Arm, stage_weights

__all__ = ["Sample", "Values", "all_runs", "resolved_runs"]

Values = Callable[[Arm], Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One value a run; `stages` as in `Arm`, empty where the study has none."""

    values: tuple[float, ...]
    stages: tuple[int, ...] = ()

    @property
    def weights(self) -> tuple[float, ...]:
        return stage_weights(self.stages, len(self.values))

    @property
    def mean(self) -> float:
        return math.fsum(w * v for w, v in zip(self.weights, self.values, strict=True))

    @property
    def strata(self) -> list[tuple[float, ...]]:
        """The values stage by stage; runs are resampled within these."""
        if not self.stages:
            return [self.values]
        pairs = sorted(zip(self.stages, self.values, strict=True), key=lambda pair: pair[0])
        return [tuple(v for _, v in same) for _, same in groupby(pairs, lambda pair: pair[0])]

    def logarithms(self) -> Sample:
        return Sample(tuple(map(math.log, self.values)), self.stages)


def all_runs(values: Values) -> Callable[[Arm], Sample]:
    """Every measured run whose value is known."""
    return lambda arm: _sample(arm, values(arm), (True,) * arm.runs)


def resolved_runs(values: Values) -> Callable[[Arm], Sample]:
    """Resolved runs only, in both conditions."""
    return lambda arm: _sample(arm, values(arm), arm.resolved)


def _sample(arm: Arm, values: Sequence[float | None], wanted: Sequence[bool]) -> Sample:
    stages = arm.stages or (0,) * arm.runs
    kept = [
        (value, stage)
        for value, stage, is_wanted in zip(values, stages, wanted, strict=False)
        if is_wanted and value is not None
    ]
    return Sample(
        tuple(value for value, _ in kept),
        tuple(stage for _, stage in kept) if arm.stages else (),
    )
