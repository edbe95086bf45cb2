"""What a user's conftest.py or plugin may add to a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_jagged.contracts.agent import Agent
    from pytest_jagged.contracts.environment import EnvironmentProvider
    from pytest_jagged.contracts.record import RunRecord
    from pytest_jagged.contracts.settings import StudySettings
    from pytest_jagged.contracts.transformation import Transformation
    from pytest_jagged.reporting.report import Report

__all__ = [
    "pytest_jagged_make_agent",
    "pytest_jagged_make_environment",
    "pytest_jagged_register_transformations",
    "pytest_jagged_report_made",
    "pytest_jagged_run_finished",
]


def pytest_jagged_register_transformations(
    config: pytest.Config,
) -> Sequence[Transformation]:
    """Return transformations of your own; a study names them in `sampler.transformations`.

    def pytest_jagged_register_transformations(config):
        return [RenameLoggers()]
    """
    raise NotImplementedError


@pytest.hookspec(firstresult=True)
def pytest_jagged_make_agent(config: pytest.Config, settings: StudySettings) -> Agent | None:
    """Return the agent of a study, or None to leave it to the study file.

    def pytest_jagged_make_agent(config, settings):
        if settings.agent.name == "python:mine:agent":
            return MyAgent(settings.model)
    """


@pytest.hookspec(firstresult=True)
def pytest_jagged_make_environment(
    config: pytest.Config, settings: StudySettings
) -> EnvironmentProvider | None:
    """Return the provider of a study's environments, or None to leave it to the study file."""


def pytest_jagged_run_finished(config: pytest.Config, record: RunRecord) -> None:
    """Called in the process that ran it, after the record is stored; not for reused records."""


def pytest_jagged_report_made(config: pytest.Config, report: Report) -> None:
    """Called once a study on the controller, after report and summary are written."""
