"""A gate as pytest sees it: one synthetic test report, logged by the controller after all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_jagged.plugin.one_line import OneLine
from pytest_jagged.plugin.session import OpenStudy

if TYPE_CHECKING:
    from pytest_jagged.reporting.gates import GateResult

__all__ = ["log_gate"]


def log_gate(session: pytest.Session, opened: OpenStudy, gate: GateResult) -> None:
    """Gives the FAILED line, the JUnit test case and exit code 1, with and without xdist.

    An inconclusive gate that does not fail is shown as passed; its message is in the summary.
    """
    name = f"gate[{gate.name}]"
    hook = session.config.hook
    report = pytest.TestReport(
        nodeid=f"{opened.node_id}::{name}",
        location=(opened.node_id, None, name),
        keywords={},
        outcome="failed" if gate.failed else "passed",
        longrepr=OneLine(gate.message) if gate.failed else None,  # type: ignore[arg-type]
        when="call",
        user_properties=[("jagged_gate", gate.verdict.value)],
    )
    session.testscollected += 1
    hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
    hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
