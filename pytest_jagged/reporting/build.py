"""Records of one study → its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import GateSettings, StatisticsSettings
from pytest_jagged.reporting.configuration import configuration_of, paired_instances
from pytest_jagged.reporting.gates import GateInput, evaluate_gates
from pytest_jagged.reporting.notes import notes_on, warnings_on
from pytest_jagged.reporting.report import Configuration, Report, StudyDescription
from pytest_jagged.statistics.degradation import MeanDegradation, mean_degradation

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
) -> Report:
    """A pure function of the records; those beyond *planned* are counted and left out."""
    by_case = {record.case: record for record in records}
    counted = {case: by_case.get(case) for case in planned}
    measured = [r for r in counted.values() if r is not None and r.outcome.is_measured]
    configuration = configuration_of(study, measured, statistics)
    ledger = _ledger(counted)
    obstacle = _obstacle(planned, ledger, max_error_rate)
    given = GateInput(
        degradation={
            "all": configuration.degradation,
            "mutated": _mutated_only(measured, statistics),
        },
        effort=configuration.effort,
        runs=_runs(configuration),
        confidence=statistics.confidence,
        obstacle=obstacle,
    )
    return Report(
        study=study,
        confidence=statistics.confidence,
        configurations=(configuration,),
        planned=len(planned),
        outcomes=ledger,
        gates=evaluate_gates(gates, given),
        warnings=warnings_on(counted, ledger),
        notes=notes_on(configuration, measured),
        beyond_plan=len(by_case.keys() - set(planned)),
        not_of_this_study=not_of_this_study,
        subset=subset,
        timing=_timing(measured),
    )


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
    for word in (Outcome.NOT_RUN, Outcome.SKIPPED_BUDGET):
        if totals[word.value]:
            return f"{totals[word.value]} of {len(planned)} planned runs were not run"
    lost = totals[Outcome.INFRASTRUCTURE_ERROR.value] + totals[Outcome.GRADING_ERROR.value]
    if planned and lost / len(planned) > max_error_rate:
        return f"{lost} of {len(planned)} runs lost to errors, more than {max_error_rate:.0%}"
    return None


def _mutated_only(
    measured: Sequence[RunRecord], statistics: StatisticsSettings
) -> MeanDegradation | None:
    """Degradation without the runs whose variant changed no file."""
    kept = [r for r in measured if r.variant is None or not r.variant.unchanged]
    cells, _ = paired_instances(kept)
    if not cells:
        return None
    return mean_degradation(
        cells,
        confidence=statistics.confidence,
        resamples=statistics.resamples,
        seed=statistics.seed,
    )


def _runs(configuration: Configuration) -> str:
    baseline = sum(row.baseline.runs for row in configuration.instances)
    perturbed = sum(row.perturbed.runs for row in configuration.instances)
    return f"{baseline}+{perturbed} runs"


def _timing(measured: Sequence[RunRecord]) -> Mapping[str, float]:
    """Seconds, summed over measured runs; the only figures that differ between equal studies."""
    return {
        "agent_s": sum(r.timing.agent_s for r in measured),
        "grade_s": sum(r.timing.grade_s for r in measured),
        "own_s": sum(r.timing.own_s for r in measured),
    }
