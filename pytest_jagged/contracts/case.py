"""What one pytest item stands for: (instance, condition, run index)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Case", "Condition", "ConditionKind"]


class ConditionKind(str, Enum):
    """What is done to the repository before the agent sees it."""

    BASELINE = "baseline"
    PERTURBED = "perturbed"
    PLACEBO = "placebo"  # a second baseline, drawn independently (A/A check)


_INDEX_LETTER = {
    ConditionKind.BASELINE: "r",
    ConditionKind.PERTURBED: "v",
    ConditionKind.PLACEBO: "p",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition kind with an optional label (`perturbed.label`)."""

    kind: ConditionKind
    label: str | None = None

    @property
    def name(self) -> str:
        return self.kind.value if self.label is None else f"{self.kind.value}.{self.label}"

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read `kind` or `kind.label`; raises ValueError on another kind."""
        kind, _, label = text.partition(".")
        return cls(ConditionKind(kind), label or None)


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a study.

    `ordinal` counts the runs of (instance, condition) from 1; `index` is the variant's (or run's)
    number and `repeat` the how-manieth run of that variant, both from 1. Without repeated variants
    index equals ordinal. `stage` counts from 1 in a staged study and is 0 in others; it says when a
    run was planned, not which run it is.
    """

    instance_id: str
    condition: Condition
    ordinal: int
    index: int
    repeat: int = 1
    stage: int = field(default=0, compare=False)

    @property
    def index_name(self) -> str:
        """`r01`, `v03`, `v03k02`, `p01`: two digits at least, never re-padded."""
        name = f"{_INDEX_LETTER[self.condition.kind]}{self.index:02d}"
        return name if self.repeat == 1 else f"{name}k{self.repeat:02d}"

    @property
    def item_name(self) -> str:
        """The pytest item's name, e.g. `perturbed[v01k02]`."""
        return f"{self.condition.name}[{self.index_name}]"
