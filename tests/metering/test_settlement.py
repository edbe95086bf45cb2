"""Whose figures count, and whose fault an end was."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jagged.contracts.agent import AgentResult
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.metering import Fault, Metering
from pytest_jagged.contracts.tokens import Tokens
from pytest_jagged.metering import settle


def reading(**given: Any) -> Metering:
    figures: dict[str, Any] = {
        "requests": 5,
        "answered": 4,
        "failed": 1,
        "refused": 0,
        "pending": 0,
        "uncounted": 0,
        "silent": 0,
        "tokens": Tokens(4000, 200),
        "reasoning": 0,
        "cost_usd": 0.5,
    }
    return Metering(**{**figures, **given})


def test_the_meter_counts_and_the_agents_own_cost_stands_beside() -> None:
    own = AgentResult(Exit.SUBMITTED, steps=9, tokens=Tokens(1, 1), cost_usd=0.1)
    found = settle(own, reading())
    assert (found.exit, found.steps, found.tokens) == (Exit.SUBMITTED, 4, Tokens(4000, 200))
    assert (found.cost_usd, found.cost_reported_usd) == (0.5, 0.1)


def test_an_agent_that_asks_elsewhere_has_its_own_figures() -> None:
    own = AgentResult(Exit.SUBMITTED, steps=9, cost_usd=0.1)
    found = settle(own, reading(requests=0, answered=0, failed=0, tokens=Tokens(), cost_usd=0.0))
    assert (found.steps, found.cost_usd, found.cost_reported_usd) == (9, 0.1, None)


def test_tokens_that_no_answer_tells_are_unknown() -> None:
    found = settle(AgentResult(Exit.SUBMITTED), reading(silent=1, cost_usd=None))
    assert (found.steps, found.tokens, found.cost_usd) == (4, None, None)


@pytest.mark.parametrize(
    ("own", "seen", "exit_"),
    [
        (Exit.SUBMITTED, {}, Exit.SUBMITTED),
        (Exit.CRASH, {"limit": Exit.STEP_LIMIT}, Exit.STEP_LIMIT),
        (Exit.SUBMITTED, {"limit": Exit.COST_LIMIT}, Exit.COST_LIMIT),
        (Exit.CRASH, {"last_fault": Fault.RATE_LIMIT}, Exit.RATE_LIMIT),
        (Exit.SUBMITTED, {"last_fault": Fault.QUOTA}, Exit.RATE_LIMIT),
        (Exit.WALL_LIMIT, {"last_fault": Fault.RATE_LIMIT}, Exit.RATE_LIMIT),
        (Exit.IDLE, {"last_fault": Fault.PROVIDER}, Exit.PROVIDER_ERROR),
        (Exit.CRASH, {"last_fault": Fault.AUTH}, Exit.AUTH),
        (Exit.IDLE, {"pending": 1}, Exit.PROVIDER_ERROR),
        (Exit.WALL_LIMIT, {"pending": 1}, Exit.WALL_LIMIT),
        (Exit.CRASH, {"last_fault": Fault.CONTEXT_WINDOW}, Exit.CONTEXT_WINDOW),
        (Exit.SUBMITTED, {"last_fault": Fault.CONTEXT_WINDOW}, Exit.SUBMITTED),
        (Exit.CRASH, {"last_fault": Fault.REQUEST}, Exit.CRASH),
        (Exit.ENVIRONMENT_ERROR, {"limit": Exit.STEP_LIMIT}, Exit.ENVIRONMENT_ERROR),
    ],
)
def test_whose_fault_it_was(own: Exit, seen: dict[str, Any], exit_: Exit) -> None:
    assert settle(AgentResult(own), reading(**seen)).exit is exit_
