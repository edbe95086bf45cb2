"""Records of one study → its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import GateSettings, StatisticsSettings
from pytest_jagged.reporting.comparison import EarlierReport, compare_reports
from pytest_jagged.reporting.configuration import configuration_of
from pytest_jagged.reporting.gates import GateInput, GateResult, evaluate_gates
from pytest_jagged.reporting.notes import notes_on, staged_notes, warnings_on
from pytest_jagged.reporting.report import Configuration, Look, Report, StudyDescription
from pytest_jagged.statistics.looks import look_confidence

__all__ = ["build_report"]


def build_report(
    study: StudyDescription,
    planned: Sequence[Case],
    records: Iterable[RunRecord],
    statistics: StatisticsSettings,
    gates: Sequence[GateSettings] = (),
    *,
    max_error_rate: float = 0.05,
    subset: bool = False,
    not_of_this_study: int = 0,
    earlier: EarlierReport | None = None,
    stages: int = 1,
) -> Report:
    """A pure function of the records; those beyond *planned* are counted and left out.

    Of a study with several *stages* this is one look at its data: the confidence of all intervals
    is raised to what that look may spend.

    Raises:
        ConfigError: *earlier* is of another study than this one.
    """
    look = _look(planned, stages, statistics.confidence)
    if look is not None:
        statistics = replace(statistics, confidence=look.confidence)
    by_case = {record.case: record for record in records}
    counted = {case: _planned_as(case, by_case.get(case)) for case in planned}
    measured = [r for r in counted.values() if r is not None and r.outcome.is_measured]
    remarks: tuple[str, ...] = ()
    configurations = tuple(
        configuration_of(study, measured, statistics, name) for name in _perturbed(planned)
    )
    ledger = _ledger(counted)
    obstacle = _obstacle(planned, ledger, max_error_rate)
    if earlier is not None:
        configurations, remarks = compare_reports(
            earlier, study, configurations, statistics.confidence
        )
    return Report(
        study=study,
        confidence=statistics.confidence,
        configurations=configurations,
        planned=len(planned),
        outcomes=ledger,
        gates=_judged(gates, study, configurations, measured, statistics, obstacle),
        warnings=(*warnings_on(counted, ledger, configurations), *remarks),
        notes=(*notes_on(configurations, measured), *staged_notes(look)),
        beyond_plan=len(by_case.keys() - set(planned)),
        not_of_this_study=not_of_this_study,
        subset=subset,
        timing=_timing(measured),
        look=look,
    )


def _look(planned: Sequence[Case], stages: int, confidence: float) -> Look | None:
    if stages == 1:
        return None
    stage = max((case.stage for case in planned), default=1)
    return Look(stage, stages, look_confidence(stage, stages, confidence), confidence)


def _planned_as(case: Case, record: RunRecord | None) -> RunRecord | None:
    """A stored run may have been planned without stages, or in another one."""
    return None if record is None else replace(record, case=case)


def _perturbed(planned: Sequence[Case]) -> tuple[str, ...]:
    """Names of the perturbed conditions, in the order of the plan; one at least."""
    conditions = (case.condition for case in planned)
    names = dict.fromkeys(c.name for c in conditions if c.kind is ConditionKind.PERTURBED)
    return tuple(names) or (ConditionKind.PERTURBED.value,)


def _judged(
    gates: Sequence[GateSettings],
    study: StudyDescription,
    configurations: Sequence[Configuration],
    measured: Sequence[RunRecord],
    statistics: StatisticsSettings,
    obstacle: str | None,
) -> tuple[GateResult, ...]:
    """Every gate on every perturbed condition; *mutated* leaves out variants that changed no file
    (and is only computed when a gate asks for it).
    """
    results: list[GateResult] = []
    changed = [r for r in measured if r.variant is None or not r.variant.unchanged]
    for configuration in configurations:
        populations = {"all": configuration}
        if any(gate.population == "mutated" for gate in gates):
            populations["mutated"] = configuration_of(
                study, changed, statistics, configuration.condition
            )
        given = GateInput(populations, statistics.confidence, obstacle)
        label = configuration.condition if len(configurations) > 1 else None
        results += evaluate_gates(gates, given, label)
    return tuple(results)


def _ledger(counted: Mapping[Case, RunRecord | None]) -> Mapping[str, Mapping[str, int]]:
    """condition → outcome → runs; a planned run without a record is `not_run`."""
    counts: dict[str, Counter[str]] = {}
    for case, record in counted.items():
        outcome = Outcome.NOT_RUN if record is None else record.outcome
        counts.setdefault(case.condition.name, Counter())[outcome.value] += 1
    order = [outcome.value for outcome in Outcome]
    return {
        name: {word: counter[word] for word in order if counter[word]}
        for name, counter in counts.items()
    }


def _obstacle(
    planned: Sequence[Case],
    ledger: Mapping[str, Mapping[str, int]],
    max_error_rate: float,
) -> str | None:
    kinds = {case.condition.kind for case in planned}
    if not {ConditionKind.BASELINE, ConditionKind.PERTURBED} <= kinds:
        return "the runs selected are of one condition only"
    totals: Counter[str] = Counter()
    for counts in ledger.values():
        totals.update(counts)
    missing = totals[Outcome.NOT_RUN.value] + totals[Outcome.SKIPPED_BUDGET.value]
    if missing:
        return f"{missing} of {len(planned)} planned runs were not run"
    lost = totals[Outcome.INFRASTRUCTURE_ERROR.value] + totals[Outcome.GRADING_ERROR.value]
    if planned and lost / len(planned) > max_error_rate:
        return f"{lost} of {len(planned)} runs lost to errors, more than {max_error_rate:.0%}"
    return None


def _timing(measured: Sequence[RunRecord]) -> Mapping[str, float]:
    """Seconds, summed over measured runs; the only figures that differ between equal studies."""
    return {
        "agent_s": sum(r.timing.agent_s for r in measured),
        "grade_s": sum(r.timing.grade_s for r in measured),
        "own_s": sum(r.timing.own_s for r in measured),
    }
