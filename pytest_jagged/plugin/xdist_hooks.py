"""What is special when xdist runs the items."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.errors import ConfigError, JaggedError
from pytest_jagged.plugin.announce import announce
from pytest_jagged.plugin.one_line import OneLine
from pytest_jagged.plugin.session import JaggedSession, OpenStudy
from pytest_jagged.plugin.summary import plan_lines
from pytest_jagged.plugin.usage import usage_errors
from pytest_jagged.staging import stages_to_plain

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
            "options": list(self.session.studies[0].options),
            "stages": [stages_to_plain(opened.study.stages) for opened in self.session.studies],
        }

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:  # noqa: ARG002
        """The controller never collects: what is selected comes from the workers."""
        if self.session.selected is None:
            self.session.select(ids)
            with usage_errors():
                for line in plan_lines(self.session):
                    announce(self.config, line)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A dead worker is infrastructure: keep that it happened, run the item once more."""
        if not any(crashitem.startswith(f"{o.node_id}::") for o in self.session.studies):
            return  # a user's own test that ends its process fails, as ever
        report.when = "setup"  # reads ERROR, not FAILED
        found = self.session.find(crashitem)
        if found is not None:
            report.longrepr, report.user_properties = self._keep_crash(crashitem, *found)
        if crashitem not in self.session.requeued:
            self.session.requeued.add(crashitem)
            sched.mark_test_pending(crashitem)

    @staticmethod
    def _keep_crash(
        crashitem: str, opened: OpenStudy, case: Case
    ) -> tuple[OneLine, list[tuple[str, str]]]:
        detail = f"the worker process died while running {crashitem}"
        lines = [detail, opened.reproduce(case)]
        try:
            opened.study.record_dead_worker(case, detail)
        except JaggedError as error:  # e.g. measured and stored before it died
            lines.append(str(error))
        return OneLine("\n".join(lines)), [("jagged_outcome", Outcome.INFRASTRUCTURE_ERROR.value)]
