"""The hooks of a session that runs studies, in the order of its life."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.plugin.announce import announce, verbosity
from pytest_jagged.plugin.collection import (
    PARAMETER,
    CertificateItem,
    StudyFile,
    case_of,
    in_plan_order,
    parameter_of,
    with_needed_certificates,
)
from pytest_jagged.plugin.gate_reports import log_gate
from pytest_jagged.plugin.progress import Progress
from pytest_jagged.plugin.session import JaggedSession, OpenStudy
from pytest_jagged.plugin.status import Status, item_status, properties
from pytest_jagged.plugin.summary import header_lines, plan_lines, summary_lines
from pytest_jagged.plugin.usage import usage_errors
from pytest_jagged.records import session_lock

__all__ = ["SessionHooks"]


class SessionHooks:
    def __init__(self, config: pytest.Config, session: JaggedSession) -> None:
        self.config = config
        self.session = session
        self.progress = Progress()
        self._complete = False
        self._silent = session.is_worker or session.dry

    def pytest_report_header(self) -> list[str]:
        """What is run, and how fine it can see."""
        with usage_errors():
            return header_lines(self.session)

    def pytest_sessionstart(self) -> None:
        """Lock the stores, fetch and check everything; xdist starts its workers after this."""
        if self._silent:
            self._show_stage()
            return
        with usage_errors():
            for opened in self.session.studies:
                self.session.resources.enter_context(session_lock(opened.study.root))
            for opened in self.session.studies:
                opened.study.prepare(lambda line: announce(self.config, line))
                if opened.earlier is not None:
                    opened.study.check_comparable(opened.earlier)

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Exactly the files that `--jagged-config` names."""
        for opened in self.session.studies:
            if opened.path in (file_path, file_path.resolve()):
                return StudyFile.make(parent, opened, file_path)
        return None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A user's own test that asks for a run gets all planned runs."""
        names = metafunc.fixturenames
        if "jagged_case" in names and PARAMETER not in names:
            names.append(PARAMETER)
            several = len(self.session.studies) > 1
            values = [
                parameter_of(opened, case, name_study=several)
                for opened in self.session.studies
                for case in opened.study.cases
            ]
            metafunc.parametrize(PARAMETER, values, indirect=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """The plan's order; certificates of exactly the runs that `-k` and `-m` leave."""
        certificates = [item for item in items if isinstance(item, CertificateItem)]
        items[:] = in_plan_order(items, self.session)
        result = yield
        before = set(items)
        items[:] = with_needed_certificates(in_plan_order(items, self.session), certificates)
        self._count_deselected(before, set(items))
        return result

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is reported is what all plugins left."""
        found = filter(None, map(case_of, session.items))
        self.session.select(opened.item_id(case) for opened, case in found)

    def pytest_report_collectionfinish(self) -> list[str]:
        """What will be run, reused and spent; with --collect-only this is the dry run."""
        with usage_errors():
            return plan_lines(self.session)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Runs, then reports and gates; an interrupted session makes neither."""
        self.progress.start()
        result = yield
        if not self._silent:
            self._complete = True
            with usage_errors():
                for opened in self.session.studies:
                    self._finish(session, opened)
        return result

    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Own words for measured runs and certificates."""
        return item_status(report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Now and then a line of progress; -v has a line per run already."""
        if self._silent:
            return
        asked_for = properties(report).get("jagged_item")
        if isinstance(asked_for, str):
            self.session.select([asked_for])
        self.progress.note(report)
        if verbosity(self.config) == 0:
            cases = map(self.session.selected_cases, self.session.studies)
            line = self.progress.line(lambda: sum(map(len, cases)))
            if line is not None:
                announce(self.config, line)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The tables."""
        shown = verbosity(self.config)
        if self._silent or shown < -1:
            return
        with usage_errors():
            for title, lines in summary_lines(
                self.session, shown, terminalreporter._tw.fullwidth, self._complete
            ):
                terminalreporter.write_sep("=", title)
                for line in lines:
                    terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Give the stores back."""
        self.session.resources.close()

    # -- steps ------------------------------------------------------------------------------------

    def _show_stage(self) -> None:
        """A dry session shows the stage that the next one would run."""
        with usage_errors():
            for opened in self.session.studies:
                if self.session.dry:
                    opened.study.enter_current_stage(known_only=True)

    def _finish(self, session: pytest.Session, opened: OpenStudy) -> None:
        from pytest_jagged.reporting.files import write_report

        cases = list(self.session.selected_cases(opened))
        if not cases:
            return
        subset = self.session.is_subset(opened)
        report = opened.study.report(cases if subset else None, earlier=opened.earlier)
        write_report(report, opened.study.root, subset=subset)
        self.session.reports_made.append((opened, report))
        self.config.hook.pytest_jagged_report_made(config=self.config, report=report)
        if self.session.gates_wanted:
            for gate in report.gates:
                log_gate(session, opened, gate)

    def _count_deselected(self, before: set[pytest.Item], after: set[pytest.Item]) -> None:
        """Certificates that no run needs are deselected; those put back are so no more."""
        if before - after:
            self.config.hook.pytest_deselected(items=sorted(before - after, key=str))
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        deselected = [] if reporter is None else reporter.stats.get("deselected", [])
        kept = [item for item in deselected if item not in after]
        if len(kept) < len(deselected):
            reporter.stats["deselected"] = kept
            if not kept:
                del reporter.stats["deselected"]
