"""Records become a report whose every number can be traced, and whose sums always add up."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.config import settings_to_json
from pytest_jagged.contracts.record import Artifacts, PatchSummary, RunRecord
from pytest_jagged.contracts.settings import (
    FailWhen,
    GateMetric,
    GateSettings,
    InstanceEntry,
    StudySettings,
)
from pytest_jagged.errors import StoreError
from pytest_jagged.records import open_store
from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.files import write_report
from pytest_jagged.reporting.json_form import report_to_json
from pytest_jagged.reporting.report import Report
from pytest_jagged.reporting.stores import report_stores
from pytest_jagged.reporting.study_file import StudyFile, read_study_file, write_study_file
from pytest_jagged.reporting.terminal import plain, render
from pytest_jagged.statistics.gate import Verdict
from tests.reporting.builders import STATISTICS, STUDY, planned, runs, variant

GATE = GateSettings(GateMetric.MEAN_DEGRADATION, margin_pp=5)


def report_of(records: list[RunRecord], instances: str = "ab", **options: Any) -> Report:
    options.setdefault("gates", [GATE])
    gates = options.pop("gates")
    cases = options.pop("cases", planned(instances, 4))
    return build_report(STUDY, cases, records, STATISTICS, gates, **options)


FULL = [
    *runs("a", "baseline", "rrru"),
    *runs("a", "perturbed", "ruuu"),
    *runs("b", "baseline", "rrrr"),
    *runs("b", "perturbed", "rruu"),
]


def test_the_numbers() -> None:
    report = report_of(FULL)
    (configuration,) = report.configurations
    found = configuration.degradation
    assert found is not None
    assert found.mean == pytest.approx(0.5)
    assert [row.degradation for row in configuration.instances] == [0.5, 0.5]
    assert report.planned == sum(sum(c.values()) for c in report.outcomes.values()) == 16
    assert configuration.effort["steps"].mean == 0.0
    assert configuration.effort["cost"].mean is None


def test_planned_is_the_sum_of_all_outcomes_always() -> None:
    records = [*runs("a", "baseline", "re-b"), *runs("a", "perturbed", "ui--")]
    report = report_of(records)
    assert report.outcomes == {
        "baseline": {"resolved": 1, "infrastructure_error": 1, "skipped_budget": 1, "not_run": 5},
        "perturbed": {"unresolved": 1, "invalid_variant": 1, "not_run": 6},
    }
    assert report.planned == 16


def test_errors_do_not_enter_the_rates() -> None:
    lost = [*runs("a", "baseline", "rree"), *runs("a", "perturbed", "uuuu")]
    (row,) = report_of(lost, "a").configurations[0].instances
    assert (row.baseline.runs, row.baseline.resolved) == (2, 2)


def test_runs_beyond_the_plan_are_named_not_counted() -> None:
    report = report_of([*FULL, *runs("a", "baseline", "----rr")])
    assert report.beyond_plan == 2
    assert (
        report_to_json(report_of(FULL))["configurations"]
        == (report_to_json(report)["configurations"])
    )


def test_an_instance_of_one_condition_is_left_out_by_name() -> None:
    report = report_of([*FULL, *runs("c", "baseline", "rrrr")], "abc")
    (excluded,) = report.configurations[0].excluded
    assert (excluded.instance_id, excluded.reason) == ("c", "no measured perturbed run")
    assert report.configurations[0].instances[2].degradation is None


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        ([*runs("a", "baseline", "r" * 40), *runs("a", "perturbed", "u" * 40)], Verdict.DEGRADED),
        ([*runs("a", "baseline", "ur" * 20), *runs("a", "perturbed", "r" * 40)], Verdict.ROBUST),
        ([*runs("a", "baseline", "rrru"), *runs("a", "perturbed", "rruu")], Verdict.INCONCLUSIVE),
    ],
)
def test_gate_verdicts(records: list[RunRecord], verdict: Verdict) -> None:
    cases = [r.case for r in records]
    (gate,) = report_of(records, cases=cases).gates
    assert gate.verdict is verdict
    assert gate.failed is (verdict is Verdict.DEGRADED)
    assert "95% CI [" in gate.message
    assert "margin 5 pp (1 instance, " in gate.message
    strict = replace(GATE, fail=FailWhen.NOT_SHOWN_ROBUST)
    assert report_of(records, cases=cases, gates=[strict]).gates[0].failed is (
        verdict is not Verdict.ROBUST
    )


def test_certain_rates_do_not_pass_a_gate_by_having_no_variance() -> None:
    records = [*runs("a", "baseline", "rrrr"), *runs("a", "perturbed", "rrrr")]
    (gate,) = report_of(records, "a").gates
    assert gate.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("records", "options", "reason"),
    [
        (FULL[:-1], {}, "1 of 16 planned runs were not run"),
        ([*FULL[:-1], *runs("b", "perturbed", "---e")], {}, "1 of 16 runs lost to errors"),
        (FULL, {"cases": planned("ab", 4, ("baseline",))}, "one condition only"),
    ],
)
def test_a_gate_concludes_nothing_from_half_a_study(
    records: list[RunRecord], options: dict[str, Any], reason: str
) -> None:
    (gate,) = report_of(records, **options).gates
    assert gate.verdict is Verdict.INCONCLUSIVE
    assert reason in gate.message


def test_mutated_only_leaves_unchanged_variants_out() -> None:
    unchanged = [
        replace(r, variant=variant(unchanged=True, gold_unchanged=True))
        for r in runs("a", "perturbed", "rrrr" * 10)
    ]
    changed = [
        replace(r, case=replace(r.case, ordinal=r.case.ordinal + 40, index=r.case.index + 40))
        for r in runs("a", "perturbed", "uuuu" * 10)
    ]
    records = [*runs("a", "baseline", "r" * 40), *unchanged, *changed]
    cases = [r.case for r in records]
    gate = replace(GATE, margin_pp=60, population="mutated")
    one, both = report_of(records, cases=cases, gates=[gate, GATE]).gates
    assert "100.0 pp" in one.message
    assert "50.0 pp" in both.message
    assert (one.name, both.name) == ("mean_degradation-1", "mean_degradation-2")


def test_effort_gates() -> None:
    records = [
        *runs("a", "baseline", "rrrr", steps=10, cost=1.0),
        *runs("a", "perturbed", "rrrr", steps=20, cost=None),
    ]
    gates = [
        GateSettings(GateMetric.STEPS, margin_pct=50),
        GateSettings(GateMetric.COST, margin_pct=50),
    ]
    (unseen, _) = report_of(records, "a", gates=gates).gates
    assert unseen.verdict is Verdict.INCONCLUSIVE
    assert "no variance was seen" in unseen.message
    records[0] = replace(records[0], steps=11)
    records[4] = replace(records[4], steps=19)
    steps, cost = report_of(records, "a", gates=gates).gates
    assert (steps.verdict, steps.failed) == (Verdict.DEGRADED, True)
    assert "92.8 %" in steps.message
    assert cost.verdict is Verdict.INCONCLUSIVE


def test_json_has_no_nan_and_the_documented_shape() -> None:
    for records in (FULL, [], runs("a", "baseline", "rrrr")):
        value = report_to_json(report_of(records))
        text = json.dumps(value, allow_nan=False)
        assert json.loads(text) == value
        assert set(value) >= {"schema_version", "study", "configurations", "outcomes", "gates"}
        configuration = value["configurations"][0]
        assert set(configuration["degradation"]) >= {"mean_pp", "interval_pp", "estimand"}
    instance = report_to_json(report_of(FULL))["configurations"][0]["instances"][0]
    assert instance["id"] == "a"
    assert instance["baseline"]["runs"] == 4
    assert instance["degradation_pp"] == 50.0
    assert all(math.isfinite(x) for x in instance["interval_pp"])


def test_the_terminal_fits_and_explains() -> None:
    lines = render(report_of(FULL), verbosity=0, width=80)
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "mean degradation +50.0 pp  95% CI [" in text
    assert "these instances, new runs" in text
    assert "new instances too" in text
    assert "planned 16 runs = 16 accounted for:" in text
    assert "cost unknown: the agent reports none" in text
    assert "nan" not in text.lower()
    empty = "\n".join(render(report_of([]), verbosity=0, width=80))
    assert "mean degradation: unknown" in empty


def test_warnings() -> None:
    touched = PatchSummary("d", dropped_tests=("t",), touched_test_config=("conftest.py",))
    records = [*runs("a", "baseline", "rree"), *runs("a", "perturbed", "uuuu")]
    records[0] = replace(records[0], patch=touched)
    text = " ".join(report_of(records, "a").warnings)
    assert "baseline 50.0%, perturbed 0.0%" in text
    assert "different shares" in text
    assert "1 runs changed test configuration" in text
    assert "1 runs edited graded tests" in text


def test_what_agents_write_cannot_steer_the_terminal() -> None:
    assert plain("a\x1b[31mb\nc\u202e") == "a [31mb c "


def test_files(tmp_path: Path) -> None:
    write_report(report_of(FULL), tmp_path, subset=False)
    write_report(report_of(FULL, subset=True), tmp_path, subset=True)
    assert json.loads((tmp_path / "report.json").read_text())["subset"] is False
    assert json.loads((tmp_path / "report-subset.json").read_text())["subset"] is True
    with (tmp_path / "summary.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["instance_id"] for row in rows] == ["a", "b"]
    assert rows[0]["baseline_resolved"] == "3"
    assert rows[0]["baseline_cost_mean"] == ""


def shard(root: Path, records: list[RunRecord], digest: str = "d") -> Path:
    settings = StudySettings(
        (InstanceEntry(path=Path("/x")),), statistics=STATISTICS, gates=(GATE,)
    )
    study = StudyFile(
        replace(STUDY, digest=digest),
        {
            case: f"{case.instance_id}-{case.condition.name}-{case.index}".ljust(16, "0")
            for case in planned("ab", 4)
        },
        settings_to_json(settings),
    )
    write_study_file(root / "study.json", study, {})
    assert read_study_file(root / "study.json") == study
    store = open_store(root)
    for record in records:
        store.save(record, Artifacts())
    return root


def test_shards_make_the_same_report(tmp_path: Path) -> None:
    whole = report_stores([shard(tmp_path / "whole", FULL)])
    parts = [shard(tmp_path / "one", FULL[:7]), shard(tmp_path / "two", FULL[7:])]
    assert report_to_json(report_stores(parts)) == report_to_json(whole)
    assert report_to_json(report_stores(parts[::-1])) == report_to_json(whole)
    missing = report_stores(parts[:1])
    assert sum(c.get("not_run", 0) for c in missing.outcomes.values()) == 9


def test_shards_of_another_study_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="another study"):
        report_stores([shard(tmp_path / "a", []), shard(tmp_path / "b", [], digest="e")])
    with pytest.raises(StoreError, match="no such file"):
        report_stores([tmp_path])
