"""What the plugin is without a study: one explanation, and fixtures that skip."""

from __future__ import annotations

from typing import NoReturn

import pytest

__all__ = ["stay_inert", "warn_once"]


def stay_inert(config: pytest.Config) -> None:
    """Tests that ask for a run are skipped; an option where it does not count is explained."""
    config.pluginmanager.register(_NoStudy(), "jagged-fixtures")
    studies = config.getoption("jagged_config")
    if studies and not hasattr(config, "workerinput"):
        typed = " ".join(f"--jagged-config={study}" for study in studies)
        warn_once(
            config,
            "--jagged-config counts only on the command line itself, so that plain pytest never"
            f" runs an agent; type: pytest {typed}",
        )


def warn_once(config: pytest.Config, text: str) -> None:
    """A warning of pytest's, or the usage error that the user's filters make of it."""
    try:
        config.issue_config_time_warning(pytest.PytestConfigWarning(text), stacklevel=3)
    except pytest.PytestConfigWarning:
        raise pytest.UsageError(f"jagged: {text}") from None


class _NoStudy:
    """So that plain pytest passes over a user's own tests of runs."""

    @pytest.fixture(scope="session")
    def jagged_config(self) -> NoReturn:
        """The settings of the session's studies; skips without --jagged-config."""
        _skip()

    @pytest.fixture
    def jagged_case(self) -> NoReturn:
        """(instance, condition, run index); skips without --jagged-config."""
        _skip()

    @pytest.fixture
    def jagged_variant(self) -> NoReturn:
        """The certified variant; skips without --jagged-config."""
        _skip()

    @pytest.fixture
    def jagged_environment(self) -> NoReturn:
        """The provider of environments; skips without --jagged-config."""
        _skip()

    @pytest.fixture
    def jagged_agent(self) -> NoReturn:
        """The scaffold with its model; skips without --jagged-config."""
        _skip()

    @pytest.fixture
    def jagged_run(self) -> NoReturn:
        """The record of a run; skips without --jagged-config."""
        _skip()


def _skip() -> NoReturn:
    pytest.skip("needs a study: pytest --jagged-config=PATH")
