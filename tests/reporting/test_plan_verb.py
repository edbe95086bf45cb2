"""`jagged plan`: what a study will cost and see, without starting anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.__main__ import main
from pytest_jagged.contracts.record import Artifacts
from pytest_jagged.records import open_store
from tests.reporting.builders import runs

INSTANCES = Path(__file__).parents[2] / "instances"
STUDY = f"""
runs: 10
instances:
  - path: {INSTANCES / "stockroom"}
  - path: {INSTANCES / "timetable"}
agent: {{name: command, command: "touch {{workdir}}/started"}}
model: {{name: m, prices: {{input: 3, output: 15}}}}
session: {{concurrency: 4, budget_usd: 50}}
gates: [{{metric: mean_degradation, margin_pp: 5}}]
"""

Plan = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Plan:
    """Exit status, JSON, and what was printed (errors too)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "study.yaml").write_text(STUDY)

    def run(*options: str) -> tuple[int, Any, str]:
        out = tmp_path / "plan.json"
        out.unlink(missing_ok=True)
        status = main(["plan", "study.yaml", "--json", str(out), *options])
        printed = capsys.readouterr()
        value = json.loads(out.read_text()) if out.exists() else None
        return status, value, printed.out + printed.err

    return run


def test_nothing_is_started_and_nothing_is_written(plan: Plan, tmp_path: Path) -> None:
    status, value, text = plan()
    assert status == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plan.json", "study.yaml"]
    assert (value["items"], value["certificates"], value["to_do"]) == (40, 20, 40)
    assert value["expected_usd"] is None
    assert value["noise"] == {"value": 0.073, "source": "of published runs"}
    assert "cost: unknown (no stored cost; state --usd-per-run or --tokens); the session is" in text
    assert "capped at $50" in text
    assert "gate of margin 5 pp: degraded with 80% power from" in text
    assert max(map(len, text.splitlines())) <= 80


def test_stated_figures(plan: Plan) -> None:
    _, value, text = plan("--usd-per-run", "0.5", "--seconds-per-run", "60", "--degradation", "20")
    assert value["expected_usd"] == 20
    assert value["expected_s"] == 600
    assert value["half_width_pp"] == pytest.approx(16.7, abs=0.1)
    assert value["detectable_pp"] == pytest.approx(23.9, abs=0.1)
    assert value["gates"][0]["detectable_pp"] == pytest.approx(28.9, abs=0.1)
    assert value["runs_needed"] == 15
    assert "to find 20 pp with 80% power: runs: 15 (60 in all, about $30.00)" in text
    assert "to find 20 pp above the margin 5 pp" in text


def test_a_price_and_a_guess_of_tokens(plan: Plan) -> None:
    """700,000 tokens in at 3 USD a million, 8,000 out at 15."""
    _, value, _ = plan("--tokens", "700", "8")
    assert value["usd_per_run"]["value"] == pytest.approx(2.22)
    assert value["expected_usd"] == pytest.approx(88.8)


def test_stored_runs_of_another_study(plan: Plan, tmp_path: Path) -> None:
    store = open_store(tmp_path / "other")
    for record in [
        *runs("a", "baseline", "rrru", cost=0.2),
        *runs("a", "perturbed", "rruu", cost=0.4),
        *runs("b", "baseline", "e"),
    ]:
        store.save(record, Artifacts())
    _, value, _ = plan("--like", str(tmp_path / "other"))
    assert value["usd_per_run"] == {"value": pytest.approx(0.3), "source": "from 8 stored runs"}
    assert value["seconds_per_run"]["value"] == 2.0
    assert value["noise"]["value"] == pytest.approx((0.25 + 1 / 3) / 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--like", "nowhere"], "holds no runs"),
        (["--degradation", "-1"], "is no amount"),
        (["--power", "1"], "not between 0 and 1"),
    ],
)
def test_bad_options(
    plan: Plan, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    try:
        status, _, text = plan(*options)
    except SystemExit as ended:
        status, text = int(ended.code or 0), capsys.readouterr().err
    assert status == 2
    assert words in text


def test_tokens_without_prices(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.replace(", prices: {input: 3, output: 15}", ""))
    status, _, text = plan("--tokens", "700", "8")
    assert status == 2
    assert "--tokens needs model.prices" in text


def test_stages_are_planned_at_the_level_of_the_last_look(plan: Plan, tmp_path: Path) -> None:
    plain = plan()[1]
    study = tmp_path / "study.yaml"
    study.write_text(STUDY.replace("concurrency: 4", "concurrency: 4, staged: true"))
    status, value, text = plan()
    assert status == 0
    assert (value["items"], value["stages"]) == (40, 4)
    assert "4 stages, a session each" in text
    assert 1 < value["half_width_pp"] / plain["half_width_pp"] < 1.15
