"""An agent's result with what the meter saw: whose figures count, and whose fault an end was."""

from __future__ import annotations

from dataclasses import replace

from pytest_jagged.contracts.agent import AgentResult
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.metering import Fault, Metering

__all__ = ["settle"]

_NOT_THE_AGENTS = {
    Fault.RATE_LIMIT: Exit.RATE_LIMIT,
    Fault.QUOTA: Exit.RATE_LIMIT,
    Fault.AUTH: Exit.AUTH,
    Fault.PROVIDER: Exit.PROVIDER_ERROR,
}
_UNEXPLAINED = (Exit.CRASH, Exit.NO_SUBMISSION)


def settle(result: AgentResult, reading: Metering) -> AgentResult:
    """The meter's figures, and the exit that both together show.

    A limit that refused a request is why the agent stopped, whatever it says. An agent whose last
    request the service failed could not go on: that is not its doing, also where it ends as if all
    were well. An agent that asked nothing through the meter is left with its own figures.
    """
    if reading.requests == 0:
        return replace(result, metering=reading)
    exit_, detail = _end(result, reading)
    return replace(
        result,
        exit=exit_,
        detail=detail,
        steps=reading.answered,
        tokens=None if reading.silent else reading.tokens,
        cost_usd=reading.cost_usd,
        cost_reported_usd=result.cost_usd,
        metering=reading,
    )


def _end(result: AgentResult, reading: Metering) -> tuple[Exit, str]:
    fault = reading.last_fault
    if result.exit is Exit.ENVIRONMENT_ERROR:
        return result.exit, result.detail
    if reading.limit is not None:
        return reading.limit, result.detail
    if fault in _NOT_THE_AGENTS:
        return _NOT_THE_AGENTS[fault], f"{fault.value}: {reading.detail}"
    if result.exit is Exit.IDLE and reading.pending:
        return Exit.PROVIDER_ERROR, f"the service did not answer; {result.detail}"
    if fault is Fault.CONTEXT_WINDOW and result.exit in _UNEXPLAINED:
        return Exit.CONTEXT_WINDOW, reading.detail
    return result.exit, result.detail
