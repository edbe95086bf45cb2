"""What a user adds to a study from outside: transformations, an agent, an environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_jagged.contracts.agent import Agent
from pytest_jagged.contracts.environment import EnvironmentProvider
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.contracts.transformation import Transformation

__all__ = ["Extensions"]


def _no_agent(settings: StudySettings) -> Agent | None:  # noqa: ARG001 - the hook's signature
    return None


def _no_provider(settings: StudySettings) -> EnvironmentProvider | None:  # noqa: ARG001 - likewise
    return None


@dataclass(frozen=True, slots=True)
class Extensions:
    """`make_agent` and `make_provider` answer None to leave the choice to the study file."""

    transformations: tuple[Transformation, ...] = ()
    make_agent: Callable[[StudySettings], Agent | None] = _no_agent
    make_provider: Callable[[StudySettings], EnvironmentProvider | None] = _no_provider
