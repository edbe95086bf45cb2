"""Agents by name."""

from __future__ import annotations

import difflib

from pytest_jagged.agents.preset import preset_names
from pytest_jagged.contracts.agent import Agent
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError

__all__ = ["AGENT_NAMES", "make_agent"]

AGENT_NAMES = (
    *("gold-patch", "noop", "mini-swe-agent"),
    *preset_names(),
    *("command", "python:MODULE:CALLABLE"),
)
# What an agent of ours makes nothing of is refused: it would be without effect.
_KEYS: dict[str, tuple[str, ...]] = {
    "gold-patch": (),
    "noop": (),
    "mini-swe-agent": ("options", "python", "version"),
    "command": ("command", "options", "version"),
    **dict.fromkeys(preset_names(), ("options", "version")),
}


def make_agent(settings: AgentSettings, model: ModelSettings | None) -> Agent:
    """The agent a study names.

    Raises:
        ConfigError: unknown name, or a setting the agent cannot use.
    """
    if settings.name in _KEYS or settings.name.startswith("python:"):
        _check_keys(settings)
    if settings.name == "gold-patch":
        from pytest_jagged.agents.gold_patch import GoldPatchAgent

        return GoldPatchAgent()
    if settings.name == "noop":
        from pytest_jagged.agents.noop import NoopAgent

        return NoopAgent()
    if settings.name == "mini-swe-agent":
        from pytest_jagged.agents.mini_swe_agent import MiniSweAgent

        return MiniSweAgent(settings, model)
    if settings.name == "command":
        from pytest_jagged.agents.command import CommandAgent

        return CommandAgent(settings, model)
    if settings.name in preset_names():
        from pytest_jagged.agents.preset import PresetAgent

        return PresetAgent(settings, model)
    if settings.name.startswith("python:"):
        from pytest_jagged.agents.python_callable import CallableAgent

        return CallableAgent(settings, model)
    close = difflib.get_close_matches(settings.name, AGENT_NAMES, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"valid: {', '.join(AGENT_NAMES)}"
    raise ConfigError(f"agent.name: unknown agent {settings.name!r}; {hint}")


def _check_keys(settings: AgentSettings) -> None:
    own = ("options", "version") if settings.name.startswith("python:") else ()
    used = _KEYS.get(settings.name, own)
    for key in ("command", "options", "python", "version"):
        if getattr(settings, key) and key not in used:
            raise ConfigError(f"agent.{key}: {settings.name} takes none; remove it")
