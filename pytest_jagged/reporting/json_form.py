"""The documented JSON of a report (docs/report.md). No NaN, no infinity: null and a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.reporting.json_details import (
    attribution_to_json,
    concentration_to_json,
    consistency_to_json,
    variance_to_json,
)
from pytest_jagged.reporting.report import (
    REPORT_SCHEMA_VERSION,
    ArmSummary,
    Configuration,
    Contrast,
    InstanceRow,
    Placebo,
    Report,
    Split,
    StudyDescription,
)
from pytest_jagged.statistics.comparison import Comparison, Difference
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import Exclusion, RelativeChange
from pytest_jagged.statistics.log_ratio import LogRatio
from pytest_jagged.statistics.score import MeanRate

__all__ = ["report_to_json", "study_to_json"]


def report_to_json(report: Report) -> dict[str, Any]:
    return {
        "schema_version": REPORT_SCHEMA_VERSION,
        "subset": report.subset,
        "study": study_to_json(report.study),
        "confidence": report.confidence,
        "look": None if report.look is None else asdict(report.look),
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
        "comparable": dict(study.comparable),
        "not_python": list(study.not_python),
    }


def _configuration(configuration: Configuration) -> dict[str, Any]:
    c = configuration
    return {
        "scaffold": c.scaffold,
        "model": c.model,
        "benchmark": c.benchmark,
        "condition": c.condition,
        "degradation": _degradation(c.degradation),
        "resolve_rates": {name: _rate(rate) for name, rate in c.rates.items()},
        "effort": _effort(c.effort),
        "excluded": _exclusions(c.excluded),
        "placebo": None if c.placebo is None else _placebo(c.placebo),
        "splits": [_split(split) for split in c.splits],
        "intervals_excluding_zero": c.excluding_zero,
        "intervals_excluding_zero_by_chance": c.excluding_zero_by_chance,
        "concentration": concentration_to_json(c.concentration),
        "consistency": consistency_to_json(c.consistency),
        "variance": variance_to_json(c.variance),
        "attribution": attribution_to_json(c.attribution),
        "instances": [_instance(row) for row in c.instances],
        "timing": _effort(c.timing),
        "comparison": None if c.comparison is None else _comparison(c.comparison),
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
        "expected_coverage": found.expected_coverage,
        "score_interval_pp": _pair(found.score),
        "new_instances_interval_pp": _pair(found.new_instances),
        "new_instances_estimand": Estimand.NEW_INSTANCES.value,
        "sign_flip_p": found.sign_flip_p,
        "instances": found.instances,
        "rates_of_zero_or_one": found.certain_arms,
    }


def _rate(rate: MeanRate) -> dict[str, Any]:
    return {
        "mean_pct": 100 * rate.mean,
        "interval_pct": _pair(rate.interval),
        "estimand": Estimand.THESE_INSTANCES.value,
        "effective_runs": rate.effective_runs,
        "instances": rate.instances,
    }


def _effort(changes: Mapping[str, RelativeChange]) -> dict[str, Any]:
    return {name: _change(change) for name, change in changes.items()}


def _change(change: RelativeChange) -> dict[str, Any]:
    value: dict[str, Any] = {
        "mean_pct": None if change.mean is None else 100 * change.mean,
        "interval_pct": None if change.interval is None else _pair(change.interval),
        "estimand": change.estimand.value,
        "instances": change.instances,
        "excluded": _exclusions(change.excluded),
        "conditions_of_one_run": change.single_runs,
        "geometric": None if change.ratio is None else _ratio(change.ratio),
    }
    if change.reason is not None:
        value["reason"] = change.reason
    return value


def _ratio(ratio: LogRatio) -> dict[str, Any]:
    interval = ratio.change_interval
    value: dict[str, Any] = {
        "log_ratio": ratio.mean,
        "log_ratio_interval": None if ratio.interval is None else _bare(ratio.interval),
        "mean_pct": 100 * ratio.change,
        "interval_pct": None if interval is None else _pair(interval),
        "instances": ratio.instances,
    }
    if ratio.reason is not None:
        value["reason"] = ratio.reason
    return value


def _exclusions(excluded: tuple[Exclusion, ...]) -> dict[str, str]:
    return {exclusion.instance_id: exclusion.reason for exclusion in excluded}


def _contrast(contrast: Contrast) -> dict[str, Any]:
    return {
        "degradation": _degradation(contrast.degradation),
        "effort": _effort(contrast.effort),
    }


def _placebo(placebo: Placebo) -> dict[str, Any]:
    return {
        "against_baseline": _contrast(placebo.against_baseline),
        "perturbed_against": _contrast(placebo.perturbed_against),
    }


def _split(split: Split) -> dict[str, Any]:
    value: dict[str, Any] = {"name": split.name, "runs": split.runs, "resolved": split.resolved}
    if split.contrast is not None:
        value.update(_contrast(split.contrast))
    return value


def _instance(row: InstanceRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "baseline": _arm(row.baseline),
        "perturbed": _arm(row.perturbed),
        "degradation_pp": None if row.degradation is None else 100 * row.degradation,
        "interval_pp": None if row.interval is None else _pair(row.interval),
        "excludes_zero": row.excludes_zero,
        "fisher_p": row.p,
        "holm_p": row.holm_p,
        "benjamini_hochberg_p": row.fdr_p,
        "variants": [
            {"index": v.index, "key": v.key, "runs": v.runs, "resolved": v.resolved}
            for v in row.variants
        ],
    }


def _arm(arm: ArmSummary) -> dict[str, Any]:
    return {
        "runs": arm.runs,
        "resolved": arm.resolved,
        "rate": arm.rate,
        "steps_mean": arm.steps_mean,
        "cost_mean_usd": arm.cost_mean_usd,
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "earlier": found.earlier,
        "pairing": found.pairing,
        "degradation": _difference(found.degradation),
        "baseline_rate": _difference(found.baseline),
        "perturbed_rate": _difference(found.perturbed),
        "estimand": Estimand.THESE_INSTANCES.value,
        "instances": found.instances,
        "shared_variants": found.shared_variants,
        "excluded": _exclusions(found.excluded),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {"mean_pp": 100 * difference.mean, "interval_pp": _pair(difference.interval)}


def _pair(interval: Interval) -> list[float]:
    """A fraction's interval in percent or points."""
    return [100 * interval.low, 100 * interval.high]


def _bare(interval: Interval) -> list[float]:
    return [interval.low, interval.high]
