"""What is special when xdist runs the items."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jagged.errors import ConfigError, JaggedError
from pytest_jagged.plugin.one_line import OneLine
from pytest_jagged.plugin.session import JaggedSession

__all__ = ["ControllerHooks", "check_scheduling"]

# Each was seen to hang, or to run one item again and again, when a worker dies.
_REFUSED = ("loadgroup", "loadscope", "loadfile", "each")


def check_scheduling(config: pytest.Config) -> None:
    """Raises ConfigError for a scheduler that does not survive a dead worker.

    Items last minutes, so none is handed out before it can be run (`maxschedchunk`).
    """
    dist = config.getoption("dist", "no")
    if dist in _REFUSED:
        raise ConfigError(f"--dist {dist} does not survive a crashed worker; use load or worksteal")
    if getattr(config.option, "maxschedchunk", 0) is None:
        config.option.maxschedchunk = 1


class ControllerHooks:
    """Hooks of xdist on the controller; nobody calls them where xdist is not active."""

    def __init__(self, config: pytest.Config, session: JaggedSession) -> None:
        self.config = config
        self.session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what the controller was asked for."""
        node.workerinput["jagged"] = {
            "configs": [str(opened.path) for opened in self.session.studies],
            "reports": str(self.session.reports),
            "runs": self.config.getoption("jagged_runs"),
            "budget": self.config.getoption("jagged_budget"),
            "started": self.session.started,
            "rerun": self.session.rerun,
        }

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:  # noqa: ARG002
        """The controller never collects: what is selected comes from the workers."""
        self.session.selected = frozenset(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A dead worker is infrastructure: keep that it happened, run the item once more."""
        report.when = "setup"  # reads ERROR, not FAILED
        found = self.session.find(crashitem)
        if found is not None:
            opened, case = found
            detail = f"the worker process died while running {crashitem}"
            message = f"{detail}\n{opened.reproduce(case)}"
            report.user_properties = [("jagged_outcome", "infrastructure_error")]
            try:
                opened.study.record_dead_worker(case, detail)
            except JaggedError as error:
                message += f"\n{error}"
            report.longrepr = OneLine(message)
        if crashitem not in self.session.requeued:
            self.session.requeued.add(crashitem)
            sched.mark_test_pending(crashitem)
