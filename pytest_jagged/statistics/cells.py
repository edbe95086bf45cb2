"""What was measured in one (instance, condition): the input of every estimate."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Arm", "PairedInstance"]


@dataclass(frozen=True, slots=True)
class Arm:
    """Measured runs of one condition. The tuples are one value a run, None where unknown."""

    resolved: tuple[bool, ...]
    steps: tuple[float | None, ...] = ()
    cost_usd: tuple[float | None, ...] = ()

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
