"""The lines the terminal shows of studies: header, plan, tables."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.execution.forecast import forecast
from pytest_jagged.plugin.session import JaggedSession, OpenStudy
from pytest_jagged.staging import stage_count

__all__ = ["header_lines", "plan_lines", "summary_lines"]


def header_lines(session: JaggedSession) -> list[str]:
    lines = []
    for opened in session.studies:
        settings = opened.study.settings
        instances, conditions = len(opened.study.instance_ids), len(settings.conditions)
        cap = settings.session.budget_usd
        lines.append(
            f"jagged: {opened.node_id}: {_count(instances, 'instance')} × {conditions} conditions"
            f" × {_count(settings.runs, 'run')}{_stage(opened)}, agent {settings.agent.name},"
            f" environment {settings.environment.backend}, seed {settings.seed}"
            + (f", cap ${cap:g}" if cap is not None else "")
        )
        lines.append(f"jagged: {_resolution(settings)}; store {opened.study.root}")
    return lines


def _stage(opened: OpenStudy) -> str:
    study = opened.study
    if not study.stages:
        return ""
    return f" (stage {len(study.stages)} of {stage_count(study.settings)})"


def _resolution(settings: StudySettings) -> str:
    """What these runs can tell at best, so that nobody sets a margin they cannot see."""
    from pytest_jagged.statistics.proportion import newcombe

    runs, confidence = settings.runs, settings.statistics.confidence
    half_width = 100 * newcombe(runs, runs, runs, runs, confidence).high
    return (
        f"{runs} v {runs} runs of one instance resolve differences of ±{half_width:.0f} pp at best"
    )


def plan_lines(session: JaggedSession) -> list[str]:
    """What will be run, reused and spent; a session without runs of a study says nothing of it."""
    lines = []
    for opened in session.studies:
        cases = session.selected_cases(opened)
        if cases:
            again = [case for case in cases if session.wants_rerun(case)]
            expected = forecast(opened.study, cases, frozenset(again))
            lines.append(f"jagged: {opened.study.name}: {expected.text()}")
    return lines


def summary_lines(
    session: JaggedSession, verbosity: int, width: int, complete: bool
) -> Iterator[tuple[str, list[str]]]:
    """(title, lines) a study. An interrupted session shows what there is, titled partial."""
    from pytest_jagged.reporting.terminal import render

    if complete:
        for opened, report in session.reports_made:
            subset = session.is_subset(opened)
            title = f"jagged {opened.study.name}" + (" (subset)" if subset else "")
            name = "report-subset.json" if subset else "report.json"
            lines = render(report, verbosity=verbosity, width=width)
            yield title, [*lines, f"report: {opened.study.root / name}"]
        return
    for opened in session.studies:
        cases = list(session.selected_cases(opened))
        if cases and _has_records(opened):
            report = opened.study.report(cases)
            yield (
                f"jagged {opened.study.name} (partial)",
                [
                    *render(report, verbosity=verbosity, width=width),
                    "interrupted: no gate was evaluated; the same command goes on where this ended",
                ],
            )


def _has_records(opened: OpenStudy) -> bool:
    return next(iter(opened.study.store.records()), None) is not None


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
