"""An interval with what it is an interval of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Estimand", "Interval"]


class Estimand(str, Enum):
    """What would vary if the study were repeated."""

    THESE_INSTANCES = "these instances, new runs"
    NEW_INSTANCES = "new instances too"


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high
