"""One file per scaffold; deleting any of them breaks nothing else."""

from __future__ import annotations

from pytest_jagged.agents.registry import AGENT_NAMES, make_agent

__all__ = ["AGENT_NAMES", "make_agent"]
