"""The agent that does nothing: what a study must show for it is 0 % resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.environment import Environment

__all__ = ["NoopAgent"]


class NoopAgent:
    name = "noop"
    needs_gold_patch = False
    uses_model = False

    def probe(self) -> str:
        return "1"

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": self.probe()}

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:  # noqa: ARG002
        return AgentResult(Exit.SUBMITTED, steps=0)
