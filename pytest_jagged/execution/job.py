"""The agent's job: the same words and limits in every condition."""

from __future__ import annotations

from pathlib import Path

from pytest_jagged.contracts.agent import Agent, AgentJob, AgentLimits
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.errors import ConfigError

__all__ = ["agent_job", "agent_limits", "prompt_template"]

_TASK = "{task}"


def prompt_template(settings: StudySettings) -> str:
    """The study's prompt file, or the issue text alone.

    Raises:
        ConfigError: the file cannot be read or has no place for the issue.
    """
    path = settings.agent.prompt
    if path is None:
        return _TASK
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{settings.source}: agent.prompt: {path}: {error}") from error
    if _TASK not in text:
        raise ConfigError(
            f"{settings.source}: agent.prompt: {path} has no {_TASK}; write it where the issue goes"
        )
    return text


def agent_limits(settings: StudySettings, instance: Instance) -> AgentLimits:
    limits = settings.limits
    return AgentLimits(
        steps=limits.steps,
        cost_usd=limits.cost_usd,
        wall_s=instance.timeouts.agent or limits.wall_s,
        command_s=limits.command_s,
        idle_s=limits.idle_s,
        tokens=limits.tokens,
    )


def agent_job(settings: StudySettings, instance: Instance, agent: Agent) -> AgentJob:
    """`artifacts` is set anew for each attempt."""
    return AgentJob(
        task=prompt_template(settings).replace(_TASK, instance.problem_statement),
        model=None if settings.model is None else settings.model.name,
        limits=agent_limits(settings, instance),
        artifacts=Path(),
        options=settings.agent.options,
        gold_patch=instance.gold_patch if agent.needs_gold_patch else "",
        temperature=None if settings.model is None else settings.model.temperature,
    )
