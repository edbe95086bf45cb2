"""This study against an earlier one: paired where it can be, refused where it cannot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import GateMetric, GateSettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.comparison import read_earlier
from pytest_jagged.reporting.files import write_report
from pytest_jagged.reporting.json_form import report_to_json
from pytest_jagged.reporting.report import Report, StudyDescription
from pytest_jagged.reporting.terminal import render
from pytest_jagged.statistics.gate import Verdict
from tests.reporting.builders import STATISTICS, STUDY, planned, runs, variant

COMPARABLE = {
    "seed": 0,
    "sampler": {"n_files": 10, "keywords": {"source": "rules", "model": None}},
    "instances": {"a": "d1", "b": "d2"},
}
GATE = GateSettings(GateMetric.REGRESSION, margin_pp=5)


Made = tuple[StudyDescription, list[Case], list[RunRecord]]


def study(perturbed: str, *, key: str = "v", **changes: Any) -> Made:
    """Description and records: two instances, baselines resolved, *perturbed* for each."""
    records: list[RunRecord] = []
    for instance in "ab":
        records += runs(instance, "baseline", "r" * len(perturbed))
        records += [
            replace(r, variant=replace(variant(), key=f"{key}{r.case.index}"))
            for r in runs(instance, "perturbed", perturbed)
        ]
    changes.setdefault("comparable", COMPARABLE)
    description = replace(STUDY, **changes)
    return description, planned("ab", len(perturbed)), records


def saved(folder: Path, made: Made) -> Path:
    description, cases, records = made
    write_report(build_report(description, cases, records, STATISTICS), folder, subset=False)
    return folder


def compared(folder: Path, made: Made) -> Report:
    description, cases, records = made
    earlier = read_earlier(folder)
    return build_report(description, cases, records, STATISTICS, [GATE], earlier=earlier)


@pytest.mark.parametrize("file", [True, False])
def test_a_regression(tmp_path: Path, file: bool) -> None:
    saved(tmp_path, study("r" * 20))
    where = tmp_path / "report.json" if file else tmp_path
    report = compared(where, study("u" * 20, scaffold="other"))
    found = report.configurations[0].comparison
    assert found is not None
    assert found.degradation.mean == pytest.approx(1.0)
    assert found.perturbed.mean == pytest.approx(-1.0)
    assert found.baseline.mean == 0.0
    assert (found.pairing, found.shared_variants) == ("instance and variant", 40)
    (gate,) = report.gates
    assert gate.verdict is Verdict.DEGRADED
    assert "rise of degradation 100.0 pp, 95% CI [" in gate.message
    assert "against s, paired by instance and variant" in gate.message
    value = report_to_json(report)["configurations"][0]["comparison"]
    assert value["degradation"]["mean_pp"] == pytest.approx(100)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert any("rise of degradation" in line for line in render(report, verbosity=0, width=80))


def test_no_change_is_shown_robust_by_many_runs_only(tmp_path: Path) -> None:
    few = compared(saved(tmp_path / "few", study("ru" * 4)), study("ru" * 4))
    assert few.gates[0].verdict is Verdict.INCONCLUSIVE
    assert few.configurations[0].comparison is not None
    assert few.configurations[0].comparison.degradation.mean == 0


def test_without_an_earlier_report_the_gate_concludes_nothing() -> None:
    description, cases, records = study("rrrr")
    (gate,) = build_report(description, cases, records, STATISTICS, [GATE]).gates
    assert gate.verdict is Verdict.INCONCLUSIVE
    assert "nothing to compare with" in gate.message


def test_other_variants_pair_by_instance_and_say_so(tmp_path: Path) -> None:
    report = compared(saved(tmp_path, study("ruru")), study("ruru", key="w"))
    assert report.configurations[0].comparison is not None
    assert report.configurations[0].comparison.pairing == "instance alone"
    assert any("share no variant" in warning for warning in report.warnings)


def test_keywords_of_a_model_pair_by_instance_and_say_so(tmp_path: Path) -> None:
    by_model = {**COMPARABLE, "sampler": {"keywords": {"source": "model"}}}
    made = study("r" * 20, comparable=by_model)
    report = compared(saved(tmp_path, made), made)
    assert report.configurations[0].comparison is not None
    assert report.configurations[0].comparison.pairing == "instance alone"
    assert any("keywords come from a model" in warning for warning in report.warnings)


def test_incompatible_studies_are_refused_by_what_differs(tmp_path: Path) -> None:
    saved(tmp_path, study("rrrr"))
    other = {
        **COMPARABLE,
        "sampler": {**COMPARABLE["sampler"], "n_files": 5},  # type: ignore[dict-item]
        "instances": {"a": "d1", "c": "d3"},
    }
    with pytest.raises(ConfigError) as refused:
        compared(tmp_path, study("rrrr", comparable=other))
    message = str(refused.value)
    assert "sampler.n_files was 10, is 5" in message
    assert "instances.b is gone" in message
    assert "instances.c is new" in message
    assert "\n" not in message


def test_other_versions_are_a_warning(tmp_path: Path) -> None:
    saved(tmp_path, study("rrrr", versions={"numpy": "1"}))
    report = compared(tmp_path, study("rrrr", versions={"numpy": "2"}))
    assert "compared with a study made by numpy 1, this one by 2" in report.warnings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ("[]", "is no report of schema 1"),
        ('{"schema_version": 99, "configurations": []}', "is no report of schema 1"),
        ('{"schema_version": 1, "configurations": [{}]}', "damaged report"),
    ],
)
def test_bad_reports(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_earlier(tmp_path)


def test_no_report_and_a_selection_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_earlier(tmp_path)
    description, cases, records = study("rrrr")
    report = build_report(description, cases, records, STATISTICS, subset=True)
    value = report_to_json(report)
    (tmp_path / "report.json").write_text(json.dumps(value))
    with pytest.raises(ConfigError, match="selection of runs"):
        read_earlier(tmp_path)
