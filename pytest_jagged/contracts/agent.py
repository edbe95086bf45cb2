"""An agent: scaffold with its model, run once on one environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.metering import Metering, ModelAccess
from pytest_jagged.contracts.tokens import Tokens

__all__ = ["Agent", "AgentJob", "AgentLimits", "AgentResult", "Exit", "Tokens"]


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """Limits of one run; seconds and USD; None = none."""

    steps: int | None
    cost_usd: float | None
    wall_s: float
    command_s: float
    idle_s: float | None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class AgentJob:
    """What an agent is told. Nothing in it names condition, index, instance or commit.

    `gold_patch` is empty unless the agent declares `needs_gold_patch`. `artifacts` is a host folder
    whose files (log, trajectory) are kept with the record; the environment cannot see it. `access`
    is None where the model's use is not metered.
    """

    task: str
    model: str | None
    limits: AgentLimits
    artifacts: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    gold_patch: str = ""
    temperature: float | None = None
    access: ModelAccess | None = None


@dataclass(frozen=True, slots=True)
class AgentResult:
    """How the agent ended. None means unknown, never zero. The patch is taken elsewhere.

    An agent reports its own figures; where its model was metered, the meter's take their place and
    its own cost is kept as `cost_reported_usd`.
    """

    exit: Exit
    steps: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    detail: str = ""
    trajectory: Any = None  # JSON value, kept as trajectory.json
    cost_reported_usd: float | None = None
    metering: Metering | None = None


class Agent(Protocol):
    """`identity` is what decides the agent's behaviour (name, version, options, prompt digest)."""

    name: str
    needs_gold_patch: bool
    uses_model: bool

    def probe(self) -> str:
        """The version, after checking that the agent can run; raises ConfigError if it cannot."""
        ...

    def identity(self) -> Mapping[str, Any]: ...

    def run(self, job: AgentJob, environment: Environment) -> AgentResult: ...
