"""Instances whose fix no transformation can reach are given apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.json_form import report_to_json
from pytest_jagged.reporting.report import StudyDescription
from pytest_jagged.reporting.study_file import StudyFile, read_study_file, write_study_file
from pytest_jagged.reporting.terminal import render
from tests.reporting.builders import STATISTICS, STUDY, planned, runs

RECORDS = [
    *runs("a", "baseline", "rrrr"),
    *runs("a", "perturbed", "rruu"),
    *runs("b", "baseline", "rrrr"),
    *runs("b", "perturbed", "rrrr"),
]


def splits(study: StudyDescription) -> dict[str, float | None]:
    report = build_report(study, planned("ab", 4), RECORDS, STATISTICS)
    (configuration,) = report_to_json(report)["configurations"]
    return {
        split["name"]: split["degradation"]["mean_pp"] if "degradation" in split else None
        for split in configuration["splits"]
    }


def test_the_rest_is_not_diluted() -> None:
    found = splits(replace(STUDY, not_python=("b",)))
    assert found["fix in Python files"] == pytest.approx(50)
    assert found["fix in no Python file"] == pytest.approx(0)


def test_without_such_instances_there_is_no_such_split() -> None:
    assert not any(name.startswith("fix in") for name in splits(STUDY))


def test_they_stand_in_the_terminal_and_survive_study_json(tmp_path: Path) -> None:
    study = replace(STUDY, not_python=("b",))
    report = build_report(study, planned("ab", 4), RECORDS, STATISTICS)
    assert "fix in no Python file" in "\n".join(render(report, verbosity=0, width=100))
    path = tmp_path / "study.json"
    write_study_file(path, StudyFile(study, {}, {}), {})
    assert read_study_file(path).description == study
