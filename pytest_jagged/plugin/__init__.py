"""The pytest plugin `jagged`: inert until `--jagged-config` is given on the command line.

Only what every pytest start must know is here; the session's own hooks are in
`plugin.session_hooks`, registered when a study is asked for.
"""

from __future__ import annotations

import pytest

from pytest_jagged.plugin.options import (
    add_options,
    load_neighbouring_conftests,
    studies_on_command_line,
)

__all__: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of group `jagged`."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare what users may hook into."""
    from pytest_jagged.plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Let the conftest.py beside a study take part from the start."""
    studies = studies_on_command_line(early_config)
    if studies:
        load_neighbouring_conftests(early_config, studies)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Let `-n auto` mean the study's `concurrency`: runs wait for a model, not for a core."""
    if not studies_on_command_line(config):
        return None
    from pytest_jagged.plugin.activation import concurrency

    return concurrency(config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Open the studies named on the command line, or (in a worker) by the controller."""
    config.addinivalue_line(
        "markers", "jagged(instance, condition, run): a run of a pytest-jagged study"
    )
    if "jagged" in getattr(config, "workerinput", {}):
        from pytest_jagged.plugin.activation import activate_worker

        activate_worker(config)
    elif studies_on_command_line(config) and not hasattr(config, "workerinput"):
        from pytest_jagged.plugin.activation import activate

        activate(config)
    else:
        from pytest_jagged.plugin.inert import stay_inert

        stay_inert(config)
