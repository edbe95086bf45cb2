"""An agent: scaffold with its model, run once on one environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from pytest_jagged.contracts.environment import Environment

__all__ = ["Agent", "AgentJob", "AgentLimits", "AgentResult", "Exit", "Tokens"]


class Exit(str, Enum):
    """Why the agent stopped (design section 6)."""

    SUBMITTED = "submitted"
    NO_SUBMISSION = "no_submission"
    STEP_LIMIT = "step_limit"
    COST_LIMIT = "cost_limit"
    WALL_LIMIT = "wall_limit"
    IDLE = "idle"
    FORMAT_ERROR = "format_error"
    CONTEXT_WINDOW = "context_window"
    CRASH = "crash"
    RATE_LIMIT = "rate_limit"
    AUTH = "auth"
    PROVIDER_ERROR = "provider_error"
    ENVIRONMENT_ERROR = "environment_error"

    @property
    def is_infrastructure(self) -> bool:
        """Not the agent's doing: retried, and kept out of the rates."""
        return self in _INFRASTRUCTURE_EXITS

    @property
    def is_limit(self) -> bool:
        return self in _LIMIT_EXITS


_INFRASTRUCTURE_EXITS = frozenset(
    {Exit.RATE_LIMIT, Exit.AUTH, Exit.PROVIDER_ERROR, Exit.ENVIRONMENT_ERROR}
)
_LIMIT_EXITS = frozenset({Exit.STEP_LIMIT, Exit.COST_LIMIT, Exit.WALL_LIMIT, Exit.IDLE})


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts of one run; `input` includes what was read from and written to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


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
    whose files (log, trajectory) are kept with the record; the environment cannot see it.
    """

    task: str
    model: str | None
    limits: AgentLimits
    artifacts: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    gold_patch: str = ""


@dataclass(frozen=True, slots=True)
class AgentResult:
    """How the agent ended. None means unknown, never zero. The patch is taken elsewhere."""

    exit: Exit
    steps: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    detail: str = ""
    trajectory: Any = None  # JSON value, kept as trajectory.json


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
