"""The study file as frozen values: one dataclass per block of design section 9.

These are plain dataclasses so that a worker can hold them without importing pydantic; `config`
validates a YAML file against them (types, bounds in the metadata, unknown keys). The defaults are
the paper's, and of the type that validation gives, so that a value written out is the same study.
Durations are seconds, money USD, prices USD per million tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Lt

__all__ = [
    "AgentSettings",
    "CompletionSettings",
    "EnvironmentSettings",
    "FailWhen",
    "GateMetric",
    "GateSettings",
    "InstanceEntry",
    "KeywordSettings",
    "LimitSettings",
    "ModelSettings",
    "Prices",
    "SamplerSettings",
    "SessionSettings",
    "StatisticsSettings",
    "StudySettings",
]

Share = Annotated[float, Ge(0), Le(1)]
Count = Annotated[int, Ge(1)]
Seconds = Annotated[float, Gt(0)]


@dataclass(frozen=True, slots=True)
class ProEntry:
    """SWE-bench Pro: rows and the checkout that holds the per-instance scripts."""

    rows: Path
    scripts: Path
    include_non_python: bool = False


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """One entry of `instances:`; exactly one of path, swebench, swebench_pro, completions.

    `image` is a template for the names of images of rows: `{image}` is the usual name.
    """

    path: Path | None = None
    swebench: Path | None = None
    swebench_pro: ProEntry | None = None
    completions: Path | None = None
    ids: tuple[str, ...] | None = None
    ids_file: Path | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """A bare name in the YAML stands for `{name: NAME}`."""

    name: str = "gold-patch"
    version: str | None = None
    python: Path | None = None
    prompt: Path | None = None
    command: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prices:
    """USD per million tokens."""

    input: Annotated[float, Ge(0)]
    output: Annotated[float, Ge(0)]
    cache_read: Annotated[float, Ge(0)] | None = None
    cache_write: Annotated[float, Ge(0)] | None = None


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`api_base` is the service's address with its version (`https://host/v1`)."""

    name: str
    temperature: Annotated[float, Ge(0)] | None = None
    prices: Prices | None = None
    api_base: str | None = None
    api_key_env: str | None = None


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    backend: Literal["local", "docker"] = "local"
    network: str = "none"
    image_policy: Literal["never", "missing", "always"] = "missing"
    memory: str | None = "4g"
    cpus: Annotated[float, Gt(0)] | None = 2.0
    pids: Count | None = 512
    remove_images: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class KeywordSettings:
    source: Literal["rules", "model"] = "rules"
    model: str | None = None


@dataclass(frozen=True, slots=True)
class SamplerSettings:
    """Hyperparameters of Algorithm 1: N_t, N_k, N_f, φ."""

    transformations: tuple[str, ...] | Literal["all"] = "all"
    n_transformations: Count = 3
    n_keywords: Count = 5
    n_files: Annotated[int, Ge(0)] = 10
    site_fraction: Annotated[float, Gt(0), Le(1)] = 0.7
    runs_per_variant: Count = 1
    keywords: KeywordSettings = KeywordSettings()
    issue_text: str | None = None
    preset: Literal["artifact"] | None = None


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Limits of one run; `attempts` counts the first try and those after infrastructure trouble."""

    steps: Count | None = 250
    cost_usd: Annotated[float, Gt(0)] | None = 3.0
    wall_s: Seconds = 3600.0
    command_s: Seconds = 60.0
    idle_s: Seconds | None = 600.0
    test_s: Seconds = 1800.0
    pull_s: Seconds = 3600.0
    create_s: Seconds = 120.0
    tokens: Count | None = None
    grade_on_limit: bool = True
    attempts: Count = 3


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """`deadline` is seconds from the session's start (or text such as `5h`, `90m`)."""

    budget_usd: Annotated[float, Gt(0)] | None = None
    deadline: Seconds | None = None
    concurrency: Count = 2
    max_error_rate: Share = 0.05
    staged: bool = False
    on_quota: Literal["end", "pause"] = "end"


@dataclass(frozen=True, slots=True)
class StatisticsSettings:
    seed: Annotated[int, Ge(0)] = 0
    resamples: Annotated[int, Ge(100)] = 20000
    confidence: Annotated[float, Gt(0), Lt(1)] = 0.95


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    variants: Count = 5
    samples: Count = 1
    k: tuple[Count, ...] = (1,)


class GateMetric(str, Enum):
    MEAN_DEGRADATION = "mean_degradation"
    INSTANCE_DEGRADATION = "instance_degradation"
    RESOLVE_RATE = "resolve_rate"
    STEPS = "steps"
    COST = "cost"
    REGRESSION = "regression"


class FailWhen(str, Enum):
    """`degraded`: few false alarms. `not_shown_robust`: the non-inferiority form."""

    DEGRADED = "degraded"
    NOT_SHOWN_ROBUST = "not_shown_robust"


@dataclass(frozen=True, slots=True)
class GateSettings:
    """`margin_pp` in percentage points (rates), `margin_pct` in percent (steps, cost)."""

    metric: GateMetric
    margin_pp: float | None = None
    margin_pct: float | None = None
    fail: FailWhen = FailWhen.DEGRADED
    population: Literal["all", "mutated"] = "all"


@dataclass(frozen=True, slots=True)
class StudySettings:
    """A whole study file. `source` is the YAML's absolute path; all paths are absolute."""

    instances: tuple[InstanceEntry, ...]
    name: str = "study"
    seed: Annotated[int, Ge(0)] = 0
    runs: Annotated[int, Ge(1), Le(100_000)] = 20
    conditions: tuple[str, ...] = ("baseline", "perturbed")
    order: Literal["run", "instance"] = "run"
    agent: AgentSettings = AgentSettings()
    model: ModelSettings | None = None
    environment: EnvironmentSettings = EnvironmentSettings()
    sampler: SamplerSettings = SamplerSettings()
    limits: LimitSettings = LimitSettings()
    session: SessionSettings = SessionSettings()
    statistics: StatisticsSettings = StatisticsSettings()
    completions: CompletionSettings = CompletionSettings()
    gates: tuple[GateSettings, ...] = ()
    source: Path = Path()
