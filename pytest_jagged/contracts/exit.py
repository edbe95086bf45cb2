"""How an agent ends."""

from __future__ import annotations

from enum import Enum

__all__ = ["Exit"]


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
