"""What was measured in one (instance, condition): the input of every estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Arm", "PairedInstance"]

Known = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """Measured runs of one condition. The tuples are one value a run, None where unknown.

    `variants` names the variant of each run; empty where every run stands alone (baseline, or
    counts without runs).
    """

    resolved: tuple[bool, ...]
    steps: Known = ()
    cost_usd: Known = ()
    tokens_input: Known = ()
    tokens_output: Known = ()
    tokens_cached: Known = ()
    wall_s: Known = ()
    variants: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        return len(self.resolved)

    @property
    def resolved_count(self) -> int:
        return sum(self.resolved)

    @property
    def rate(self) -> float:
        """Raises ZeroDivisionError for an arm without runs; callers exclude it by name first."""
        return self.resolved_count / self.runs

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
