"""What to know about the figures of one run."""

from __future__ import annotations

from pytest_jagged.execution.attempt import AttemptResult

__all__ = ["run_warnings"]

_UNMETERED = "the model's use was not metered: figures are the agent's own"


def run_warnings(result: AttemptResult, *, uses_model: bool) -> tuple[str, ...]:
    """Whose figures they are, and what they lack, for an agent that uses a model."""
    metering = result.metering
    if metering is None:
        return (_UNMETERED,) if uses_model and result.agent is not None else ()
    found = []
    if metering.requests == 0:
        found.append("the agent asked nothing through the meter: its figures are its own")
    if metering.uncounted:
        found.append(
            f"{metering.uncounted} answers broke off before their usage: tokens and cost are"
            " lower bounds"
        )
    if metering.silent:
        found.append(f"{metering.silent} answers said no usage: tokens and cost are unknown")
    return tuple(found)
