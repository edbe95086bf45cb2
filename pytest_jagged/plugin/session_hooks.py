"""The hooks of a session that runs studies, in the order of its life."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.case import Case
from pytest_jagged.plugin.activation import usage_errors
from pytest_jagged.plugin.collection import RunItem, StudyFile, arrange, needed_certificates
from pytest_jagged.plugin.gate_reports import log_gate
from pytest_jagged.plugin.progress import Progress
from pytest_jagged.plugin.session import JaggedSession, OpenStudy
from pytest_jagged.plugin.status import Status, item_status
from pytest_jagged.plugin.summary import header_lines, plan_lines, summary_lines
from pytest_jagged.records import session_lock

__all__ = ["SessionHooks"]


class SessionHooks:
    def __init__(self, config: pytest.Config, session: JaggedSession) -> None:
        self.config = config
        self.session = session
        self.progress: Progress | None = None
        self._complete = False

    def pytest_report_header(self) -> list[str]:
        """What is run, how fine it can see, what is stored already."""
        with usage_errors():
            return header_lines(self.session) + plan_lines(self.session)

    def pytest_sessionstart(self) -> None:
        """Lock the stores, fetch and check everything; xdist starts its workers after this."""
        if self.session.is_worker or self.config.option.collectonly:
            return
        with usage_errors():
            for opened in self.session.studies:
                self.session.resources.enter_context(session_lock(opened.study.root))
            for opened in self.session.studies:
                opened.study.prepare(self._say)
                self._refuse_unknown_rerun(opened)

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Exactly the files that `--jagged-config` names."""
        for opened in self.session.studies:
            if opened.path == file_path:
                return StudyFile.make(parent, opened)
        return None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A user's own test that asks for a run gets all planned runs."""
        if (
            "jagged_case" in metafunc.fixturenames
            and "jagged_parameter" not in metafunc.fixturenames
        ):
            metafunc.fixturenames.append("jagged_parameter")
            cases = [(o, case) for o in self.session.studies for case in o.study.cases]
            ids = [
                f"{case.instance_id}-{case.condition.name}-{case.index_name}" for _, case in cases
            ]
            metafunc.parametrize("jagged_parameter", cases, ids=ids, indirect=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """The plan's order; certificates of exactly the runs that `-k` and `-m` leave."""
        certificates = arrange(items, self.session)
        result = yield
        items[:0] = needed_certificates(items, certificates)
        self.session.selected = frozenset(i.nodeid for i in items if isinstance(i, RunItem))
        return result

    def pytest_report_collectionfinish(self) -> list[str]:
        """What would be run; with --collect-only this is the dry run."""
        with usage_errors():
            return plan_lines(self.session) if self.config.option.collectonly else []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Runs, then reports and gates; an interrupted session makes neither."""
        result = yield
        if not (self.session.is_worker or self.config.option.collectonly):
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
        """Now and then a line of progress."""
        if self.session.is_worker or self._verbosity != 0:
            return
        if self.progress is None:
            self.progress = Progress(sum(len(self._cases(o)) for o in self.session.studies))
        self.progress.note(report)
        line = self.progress.line()
        if line is not None:
            self._say(line)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The tables."""
        verbosity = self._verbosity
        if self.session.is_worker or self.config.option.collectonly or verbosity < -1:
            return
        for title, lines in summary_lines(
            self.session, verbosity, terminalreporter._tw.fullwidth, self._complete
        ):
            terminalreporter.write_sep("=", title)
            for line in lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Give the stores back."""
        self.session.resources.close()

    # -- steps ------------------------------------------------------------------------------------

    @property
    def _verbosity(self) -> int:
        """The option is the terminal plugin's, which may be switched off."""
        return int(getattr(self.config.option, "verbose", 0))

    def _cases(self, opened: OpenStudy) -> list[Case]:
        return list(self.session.selected_cases(opened))

    def _finish(self, session: pytest.Session, opened: OpenStudy) -> None:
        from pytest_jagged.reporting.files import write_report

        subset = self.session.is_subset(opened)
        report = opened.study.report(self._cases(opened) if subset else None)
        write_report(report, opened.study.root, subset=subset)
        self.session.reports_made.append((opened, report))
        self.config.hook.pytest_jagged_report_made(config=self.config, report=report)
        if self.session.gates_wanted:
            for gate in report.gates:
                log_gate(session, opened, gate)

    def _say(self, line: str) -> None:
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and self._verbosity > -2:
            with _uncaptured(self.config):
                reporter.ensure_newline()
                reporter.write_line(line, flush=True)

    def _refuse_unknown_rerun(self, opened: OpenStudy) -> None:
        rerun = self.session.rerun
        if rerun in (None, "infra"):
            return
        if not any(self.session.wants_rerun(case) for case in opened.study.cases):
            raise pytest.UsageError(
                f"jagged: --jagged-rerun {rerun}: no instance or run of {opened.study.name} is"
                " called that; name an instance id, an item such as 'ID::perturbed[v01]', or infra"
            )


@contextmanager
def _uncaptured(config: pytest.Config) -> Iterator[None]:
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    if capture is None:
        yield
    else:
        with capture.global_and_fixture_disabled():
            yield
