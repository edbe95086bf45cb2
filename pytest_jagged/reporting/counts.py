"""A table of counts → the report of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.configuration import instance_rows, intervals_by_chance
from pytest_jagged.reporting.contrast import degradation_of
from pytest_jagged.reporting.counts_table import ConditionCounts, CountsRow, CountsTable
from pytest_jagged.reporting.notes import configuration_notes
from pytest_jagged.reporting.report import (
    ArmSummary,
    Configuration,
    InstanceRow,
    Report,
    StudyDescription,
)
from pytest_jagged.reporting.text import configuration_title
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.concentration import concentration
from pytest_jagged.statistics.consistency import consistency
from pytest_jagged.statistics.effort import Exclusion, RelativeChange, change_of_means
from pytest_jagged.statistics.score import mean_rate

__all__ = ["report_of_counts"]

_MEASURES = ("steps", "steps_resolved", "cost", "cost_resolved")


def report_of_counts(name: str, table: CountsTable, statistics: StatisticsSettings) -> Report:
    """One configuration for each (scaffold, model, benchmark), in the order of the table."""
    groups: dict[tuple[str, str, str], list[CountsRow]] = {}
    for row in table.rows:
        groups.setdefault(row.key, []).append(row)
    configurations = tuple(_configuration(key, rows, statistics) for key, rows in groups.items())
    outcomes = {
        "baseline": _outcomes([row.baseline for row in table.rows]),
        "perturbed": _outcomes([row.perturbed for row in table.rows]),
    }
    return Report(
        study=_study(name, configurations, statistics),
        confidence=statistics.confidence,
        configurations=configurations,
        planned=sum(sum(counts.values()) for counts in outcomes.values()),
        outcomes=outcomes,
        gates=(),
        warnings=(),
        notes=tuple(_notes(table, configurations)),
        beyond_plan=0,
        not_of_this_study=0,
        subset=False,
        timing={},
    )


def _study(
    name: str, configurations: Sequence[Configuration], statistics: StatisticsSettings
) -> StudyDescription:
    def common(values: Sequence[str]) -> str:
        return values[0] if len(set(values)) == 1 else ""

    return StudyDescription(
        name=name,
        scaffold=common([c.scaffold for c in configurations]),
        model=common([c.model or "" for c in configurations]) or None,
        benchmark=common([c.benchmark for c in configurations]),
        seed=statistics.seed,
        isolation="unknown",
    )


def _outcomes(counts: Sequence[ConditionCounts]) -> Mapping[str, int]:
    resolved = sum(c.resolved for c in counts)
    found = {"resolved": resolved, "unresolved": sum(c.runs for c in counts) - resolved}
    return {word: number for word, number in found.items() if number}


def _notes(table: CountsTable, configurations: Sequence[Configuration]) -> list[str]:
    notes = ["from a table of counts: means of steps and cost have no interval without runs"]
    if table.unread:
        notes.append(f"columns not read: {', '.join(table.unread)}")
    for configuration in configurations:
        for note in configuration_notes(configuration):
            several = len(configurations) > 1
            notes.append(f"{configuration_title(configuration)}: {note}" if several else note)
    return notes


def _configuration(
    key: tuple[str, str, str], table: Sequence[CountsRow], statistics: StatisticsSettings
) -> Configuration:
    ordered = sorted(table, key=lambda row: row.instance_id)
    rows = _rows(ordered, statistics.confidence)
    both = [row for row in ordered if row.baseline.runs and row.perturbed.runs]
    # In the table's order, as the published bootstraps draw theirs.
    cells = [_cell(row) for row in table if row.baseline.runs and row.perturbed.runs]
    sides = {"baseline": [c.baseline for c in cells], "perturbed": [c.perturbed for c in cells]}
    return Configuration(
        scaffold=key[0],
        model=key[1] or None,
        benchmark=key[2],
        degradation=degradation_of(cells, statistics),
        excluded=tuple(_exclusion(row) for row in ordered if row not in both),
        effort={measure: _change(both, measure) for measure in _MEASURES},
        instances=rows,
        splits=(),
        excluding_zero=sum(row.excludes_zero for row in rows),
        excluding_zero_by_chance=intervals_by_chance(cells, statistics.confidence),
        rates={n: mean_rate(arms, statistics.confidence) for n, arms in sides.items() if arms},
        concentration=concentration(cells),
        consistency=consistency(
            cells,
            confidence=statistics.confidence,
            resamples=statistics.resamples,
            seed=statistics.seed,
        ),
    )


def _exclusion(row: CountsRow) -> Exclusion:
    missing = "perturbed" if row.baseline.runs else "baseline"
    return Exclusion(row.instance_id, f"no measured {missing} run")


def _change(rows: Sequence[CountsRow], measure: str) -> RelativeChange:
    return change_of_means(
        [(r.instance_id, r.baseline.means[measure], r.perturbed.means[measure]) for r in rows]
    )


def _cell(row: CountsRow) -> PairedInstance:
    return PairedInstance(row.instance_id, _arm(row.baseline), _arm(row.perturbed))


def _arm(counts: ConditionCounts) -> Arm:
    return Arm((True,) * counts.resolved + (False,) * (counts.runs - counts.resolved))


def _rows(table: Sequence[CountsRow], confidence: float) -> tuple[InstanceRow, ...]:
    arms = [(row.instance_id, _arm(row.baseline), _arm(row.perturbed)) for row in table]
    return tuple(
        replace(
            found,
            baseline=_summary(found.baseline, row.baseline),
            perturbed=_summary(found.perturbed, row.perturbed),
        )
        for found, row in zip(instance_rows(arms, confidence), table, strict=True)
    )


def _summary(arm: ArmSummary, counts: ConditionCounts) -> ArmSummary:
    return replace(arm, steps_mean=counts.means["steps"], cost_mean_usd=counts.means["cost"])
