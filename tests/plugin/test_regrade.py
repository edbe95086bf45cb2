"""`jagged regrade` on what a session left."""

from __future__ import annotations

import json

import pytest

from pytest_jagged.__main__ import main
from tests.plugin.conftest import FIX, Run, Study, command


def test_a_session_is_graded_again(
    pytester: pytest.Pytester, study: Study, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study(runs=1, conditions=["baseline"], agent=command(FIX))
    run(f"--jagged-config={path}")
    capsys.readouterr()
    assert main(["regrade", "reports/mine", "--json", "out.json"]) == 0
    assert capsys.readouterr().out == "1 patches: 1 as before, 0 changed, 0 not graded\n"
    assert json.loads((pytester.path / "out.json").read_text())["runs"] == [
        {
            "instance": "alpha",
            "item": "baseline[r01]",
            "before": "resolved",
            "now": "resolved",
            "detail": "",
        }
    ]
    again = run(f"--jagged-config={path}")
    again.stdout.fnmatch_lines(["*1 reused*"])
    (patch,) = (pytester.path / "reports" / "mine" / "runs").glob("*/*/patch.diff")
    patch.write_text("")
    assert main(["regrade", "reports/mine"]) == 1
    assert "not graded: " in capsys.readouterr().out


def test_verdicts_that_decided_where_runs_went_stay(
    study: Study, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run(f"--jagged-config={study(runs=4, session={'staged': True})}")
    capsys.readouterr()
    assert main(["regrade", "reports/mine"]) != 0
    assert "holds a staged study" in capsys.readouterr().err
