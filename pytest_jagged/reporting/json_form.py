"""The documented JSON of a report (docs/report.md). No NaN, no infinity: null and a reason."""

from __future__ import annotations

from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.reporting.report import (
    REPORT_SCHEMA_VERSION,
    ArmSummary,
    Configuration,
    InstanceRow,
    Report,
    StudyDescription,
)
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import RelativeChange

__all__ = ["report_to_json", "study_to_json"]


def report_to_json(report: Report) -> dict[str, Any]:
    return {
        "schema_version": REPORT_SCHEMA_VERSION,
        "subset": report.subset,
        "study": study_to_json(report.study),
        "confidence": report.confidence,
        "configurations": [_configuration(c) for c in report.configurations],
        "planned": report.planned,
        "outcomes": {name: dict(counts) for name, counts in report.outcomes.items()},
        "beyond_plan": report.beyond_plan,
        "not_of_this_study": report.not_of_this_study,
        "gates": [
            {
                "name": gate.name,
                "metric": gate.metric,
                "margin": gate.margin,
                "unit": gate.unit,
                "verdict": gate.verdict.value,
                "failed": gate.failed,
                "message": gate.message,
            }
            for gate in report.gates
        ],
        "warnings": list(report.warnings),
        "notes": list(report.notes),
        "timing": dict(report.timing),
    }


def study_to_json(study: StudyDescription) -> dict[str, Any]:
    return {
        "name": study.name,
        "scaffold": study.scaffold,
        "scaffold_version": study.scaffold_version,
        "model": study.model,
        "benchmark": study.benchmark,
        "seed": study.seed,
        "runs": study.runs,
        "conditions": list(study.conditions),
        "isolation": study.isolation,
        "digest": study.digest,
        "versions": dict(sorted(study.versions.items())),
    }


def _configuration(configuration: Configuration) -> dict[str, Any]:
    return {
        "scaffold": configuration.scaffold,
        "model": configuration.model,
        "benchmark": configuration.benchmark,
        "degradation": _degradation(configuration.degradation),
        "effort": {name: _change(change) for name, change in configuration.effort.items()},
        "excluded": {e.instance_id: e.reason for e in configuration.excluded},
        "splits": [
            {"name": s.name, "runs": s.runs, "resolved": s.resolved} for s in configuration.splits
        ],
        "intervals_excluding_zero": configuration.excluding_zero,
        "intervals_excluding_zero_by_chance": configuration.excluding_zero_by_chance,
        "instances": [_instance(row) for row in configuration.instances],
    }


def _degradation(found: MeanDegradation | None) -> dict[str, Any]:
    if found is None:
        return {
            "mean_pp": None,
            "interval_pp": None,
            "estimand": Estimand.THESE_INSTANCES.value,
            "reason": "no instance has measured runs in both conditions",
        }
    return {
        "mean_pp": 100 * found.mean,
        "interval_pp": _pair(found.interval),
        "estimand": found.estimand.value,
        "zero_width": found.is_degenerate,
        "smoothed_interval_pp": _pair(found.smoothed),
        "new_instances_interval_pp": _pair(found.new_instances),
        "new_instances_estimand": Estimand.NEW_INSTANCES.value,
        "sign_flip_p": found.sign_flip_p,
        "instances": found.instances,
        "rates_of_zero_or_one": found.certain_arms,
    }


def _change(change: RelativeChange) -> dict[str, Any]:
    value: dict[str, Any] = {
        "mean_pct": None if change.mean is None else 100 * change.mean,
        "interval_pct": None if change.interval is None else _pair(change.interval),
        "estimand": change.estimand.value,
        "instances": change.instances,
        "excluded": {e.instance_id: e.reason for e in change.excluded},
    }
    if change.mean is None:
        value["reason"] = "no instance has known values in both conditions"
    return value


def _instance(row: InstanceRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "baseline": _arm(row.baseline),
        "perturbed": _arm(row.perturbed),
        "degradation_pp": None if row.degradation is None else 100 * row.degradation,
        "interval_pp": None if row.interval is None else _pair(row.interval),
        "excludes_zero": row.excludes_zero,
    }


def _arm(arm: ArmSummary) -> dict[str, Any]:
    return {
        "runs": arm.runs,
        "resolved": arm.resolved,
        "rate": arm.rate,
        "steps_mean": arm.steps_mean,
        "cost_mean_usd": arm.cost_mean_usd,
    }


def _pair(interval: Interval) -> list[float]:
    return [100 * interval.low, 100 * interval.high]
