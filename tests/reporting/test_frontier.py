"""Several studies side by side."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pytest_jagged.__main__ import main

HEAD = (
    "scaffold,model,benchmark,instance_id,"
    "baseline_n,baseline_resolved,perturbed_n,perturbed_resolved"
)
ROWS = [
    f"{scaffold},{model},{benchmark},i{number},20,18,20,{18 - lost}"
    for scaffold, benchmark, order in (
        ("one", "x", {"m": 1, "n": 5, "o": 12}),
        ("one", "y", {"m": 1, "n": 5, "o": 12}),
        ("two", "x", {"m": 12, "n": 5, "o": 1}),
    )
    for model, lost in order.items()
    for number in range(5)
]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    table = tmp_path / "table.csv"
    table.write_text("\n".join([HEAD, *ROWS]))
    assert main(["counts", str(table), "--json", str(tmp_path / "report.json")]) == 0
    return tmp_path / "report.json"


def test_tables_ranks_and_agreement(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out, table = report.with_name("f.json"), report.with_name("f.csv")
    capsys.readouterr()
    assert main(["frontier", str(report.parent), "--json", str(out), "--csv", str(table)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for figure in range(1, 5):
        assert any(f"(Figure {figure})" in line for line in lines)
    value = json.loads(out.read_text())
    ranks = {
        (group["scaffold"], group["benchmark"]): [m["model"] for m in group["models"]]
        for group in value["ranks"]
    }
    assert ranks["one", "x"] == ["m", "n", "o"]
    assert ranks["two", "x"] == ["o", "n", "m"]
    taus = {(tuple(a["first"]), tuple(a["second"])): a["tau"] for a in value["agreements"]}
    assert taus[("one", "x"), ("one", "y")] == 1
    assert taus[("one", "x"), ("two", "x")] == -1
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(value["configurations"]) == 9
    assert float(rows[0]["degradation_pp"]) == pytest.approx(5)
    assert rows[0]["steps_change_pct"] == ""


def test_the_same_configuration_twice_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(report.read_bytes())
    assert main(["frontier", str(report), str(copy)]) == 2
    error = capsys.readouterr().err
    assert "copy.json: holds one · x · perturbed · m" in error
    assert "report.json holds already" in error


def test_no_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["frontier", str(tmp_path)]) == 2
    assert "name a report.json" in capsys.readouterr().err
