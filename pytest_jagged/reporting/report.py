"""The report as values; `reporting.json_form` gives its documented JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.reporting.gates import GateResult
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import Exclusion, RelativeChange

__all__ = [
    "REPORT_SCHEMA_VERSION",
    "ArmSummary",
    "Configuration",
    "InstanceRow",
    "Report",
    "Split",
    "StudyDescription",
]

REPORT_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class StudyDescription:
    """What was studied. `digest` covers the settings that decide outcomes."""

    name: str
    scaffold: str
    scaffold_version: str = ""
    model: str | None = None
    benchmark: str = "native"
    seed: int = 0
    runs: int = 0
    conditions: tuple[str, ...] = ("baseline", "perturbed")
    isolation: str = "none"
    digest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """Measured runs of one instance in one condition; means are None where nothing is known."""

    runs: int
    resolved: int
    steps_mean: float | None
    cost_mean_usd: float | None

    @property
    def rate(self) -> float | None:
        return self.resolved / self.runs if self.runs else None


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """`degradation` and `interval` (Newcombe) are None when an arm has no measured run."""

    id: str
    baseline: ArmSummary
    perturbed: ArmSummary
    degradation: float | None
    interval: Interval | None
    excludes_zero: bool


@dataclass(frozen=True, slots=True)
class Split:
    """Perturbed runs of one kind of variant."""

    name: str
    runs: int
    resolved: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """One (scaffold, model, benchmark): what the paper reports a row for."""

    scaffold: str
    model: str | None
    benchmark: str
    degradation: MeanDegradation | None
    excluded: tuple[Exclusion, ...]
    effort: Mapping[str, RelativeChange]
    instances: tuple[InstanceRow, ...]
    splits: tuple[Split, ...]
    excluding_zero: int
    excluding_zero_by_chance: float


@dataclass(frozen=True, slots=True)
class Report:
    """`outcomes` counts planned runs by condition and outcome; their sum is `planned`, always."""

    study: StudyDescription
    confidence: float
    configurations: tuple[Configuration, ...]
    planned: int
    outcomes: Mapping[str, Mapping[str, int]]
    gates: tuple[GateResult, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    beyond_plan: int
    not_of_this_study: int
    subset: bool
    timing: Mapping[str, float]
