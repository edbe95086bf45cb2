"""What was measured in one (instance, condition): the input of every estimate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Arm", "PairedInstance", "stage_weights"]

Known = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """Measured runs of one condition. The tuples are one value a run, None where unknown.

    `variants` names the variant of each run; empty where every run stands alone (baseline, or
    counts without runs). `stages` gives the stage of each run of a staged study, else it is empty.
    """

    resolved: tuple[bool, ...]
    steps: Known = ()
    cost_usd: Known = ()
    tokens_input: Known = ()
    tokens_output: Known = ()
    tokens_cached: Known = ()
    wall_s: Known = ()
    variants: tuple[str, ...] = ()
    stages: tuple[int, ...] = ()

    @property
    def runs(self) -> int:
        return len(self.resolved)

    @property
    def resolved_count(self) -> int:
        return sum(self.resolved)

    @property
    def rate(self) -> float:
        """Raises ZeroDivisionError for an arm without runs; callers exclude it by name first."""
        if not self.stages or self.is_certain:
            return self.resolved_count / self.runs
        pairs = zip(self.weights, self.resolved, strict=True)
        return math.fsum(weight for weight, resolved in pairs if resolved)

    @property
    def is_certain(self) -> bool:
        """All runs ended alike: a rate of 0 or 1."""
        return self.resolved_count in (0, self.runs)

    @property
    def weights(self) -> tuple[float, ...]:
        """Of each run in `rate`; they sum to 1."""
        return stage_weights(self.stages, self.runs)

    @property
    def effective_runs(self) -> float:
        """Equally weighted runs that would give `rate` the same variance."""
        if not self.stages:
            return float(self.runs)
        return 1 / math.fsum(weight**2 for weight in self.weights)

    @property
    def units(self) -> tuple[tuple[float, float], ...]:
        """(rate, weight) of what is independent: each run, or each variant where these repeat."""
        weights = self.weights
        if not self.repeats_variants:
            return tuple(zip(map(float, self.resolved), weights, strict=True))
        shares: dict[str, float] = {}
        for variant, weight in zip(self.variants, weights, strict=True):
            shares[variant] = shares.get(variant, 0.0) + weight
        return tuple(
            (sum(runs) / len(runs), shares[name]) for name, runs in self.by_variant().items()
        )

    @property
    def stage_sizes(self) -> tuple[int, ...]:
        """Runs of each stage; of one stage where a study has none."""
        if not self.stages:
            return (self.runs,)
        return tuple(size for _, size in sorted(Counter(self.stages).items()))

    def by_variant(self) -> Mapping[str, tuple[bool, ...]]:
        """Outcomes by variant, in the order of first appearance; empty without variants."""
        groups: dict[str, list[bool]] = {}
        for variant, resolved in zip(self.variants, self.resolved, strict=False):
            groups.setdefault(variant, []).append(resolved)
        return {name: tuple(values) for name, values in groups.items()}

    @property
    def repeats_variants(self) -> bool:
        return len(set(self.variants)) < len(self.variants)


@dataclass(frozen=True, slots=True)
class PairedInstance:
    """Both arms of one instance."""

    id: str
    baseline: Arm
    perturbed: Arm

    @property
    def degradation(self) -> float:
        """Baseline minus perturbed resolve rate; positive is worse."""
        return self.baseline.rate - self.perturbed.rate


def stage_weights(stages: Sequence[int], runs: int) -> tuple[float, ...]:
    """Every stage weighs the same, however many runs it was given: how many was decided by what
    earlier stages saw, and runs pooled without regard to that would be biased.
    """
    if not stages:
        return (1 / runs,) * runs
    sizes = Counter(stages)
    return tuple(1 / (len(sizes) * sizes[stage]) for stage in stages)
