"""The report as values; `reporting.json_form` gives its documented JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.reporting.gates import GateResult
from pytest_jagged.statistics.attribution import Attribution
from pytest_jagged.statistics.comparison import Comparison
from pytest_jagged.statistics.concentration import Concentration
from pytest_jagged.statistics.consistency import Consistency
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import Exclusion, RelativeChange
from pytest_jagged.statistics.score import MeanRate
from pytest_jagged.statistics.variance import VarianceSplit

__all__ = [
    "REPORT_SCHEMA_VERSION",
    "ArmSummary",
    "Configuration",
    "Contrast",
    "InstanceRow",
    "Placebo",
    "Report",
    "Split",
    "StudyDescription",
    "VariantCount",
]

REPORT_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class StudyDescription:
    """What was studied. `digest` covers the settings that decide outcomes; `comparable` holds those
    that two agents or models must share to be compared, block by block. `not_python` are the
    instances whose fix is in no Python file, which no transformation can reach.
    """

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
    comparable: Mapping[str, Any] = field(default_factory=dict)
    not_python: tuple[str, ...] = ()


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
class VariantCount:
    """Runs of one variant; equal keys in two reports are the same variant."""

    index: int
    key: str
    runs: int
    resolved: int


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """`degradation`, `interval` (Newcombe) and the p-values (Fisher; adjusted by Holm and by
    Benjamini–Hochberg over instances) are None when an arm has no measured run.
    """

    id: str
    baseline: ArmSummary
    perturbed: ArmSummary
    degradation: float | None
    interval: Interval | None
    excludes_zero: bool
    p: float | None = None
    holm_p: float | None = None
    fdr_p: float | None = None
    variants: tuple[VariantCount, ...] = ()


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of two conditions; `effort` by measure (`steps`, `cost_resolved`, …)."""

    degradation: MeanDegradation | None
    effort: Mapping[str, RelativeChange]


@dataclass(frozen=True, slots=True)
class Split:
    """Perturbed runs of one kind of variant, against the baseline of the same instances."""

    name: str
    runs: int
    resolved: int
    contrast: Contrast | None = None


@dataclass(frozen=True, slots=True)
class Placebo:
    """The A/A check: placebo against baseline, and perturbed against placebo. Signs as for
    degradation, so that a positive first figure means that the placebo resolved less.
    """

    against_baseline: Contrast
    perturbed_against: Contrast


@dataclass(frozen=True, slots=True)
class Configuration:
    """One (scaffold, model, benchmark), and one perturbed condition: a row of the paper's tables.

    `timing` holds the effort measures that are wall time. The fields from `rates` on are None or
    empty where the records do not tell.
    """

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
    condition: str = "perturbed"
    rates: Mapping[str, MeanRate] = field(default_factory=dict)
    placebo: Placebo | None = None
    concentration: Concentration | None = None
    consistency: Consistency | None = None
    variance: VarianceSplit | None = None
    attribution: Attribution | None = None
    timing: Mapping[str, RelativeChange] = field(default_factory=dict)
    comparison: Comparison | None = None  # with an earlier report


@dataclass(frozen=True, slots=True)
class Look:
    """Which look at a staged study this is: `confidence` is of its intervals, `overall` of all
    looks together.
    """

    stage: int
    stages: int
    confidence: float
    overall: float


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
    look: Look | None = None
