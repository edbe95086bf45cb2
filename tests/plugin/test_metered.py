"""A study whose agent has a model: figures, prices, limits, keys and trouble, end to end."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import tiny_agent
from tests.agents.scripted_model import (
    Bash,
    Fault,
    Scenario,
    ScriptedModel,
    Submit,
    Usage,
    scripted_model,
)
from tests.plugin.conftest import FIX, Run, Study, report_of

KEY = "solve:the-providers-secret"
AGENT = shlex.join([sys.executable, tiny_agent.__file__]) + " {task_file} {model}"
USAGE = Usage(input=1000, output=100, cache_read=800)
# 200 fresh at $10, 800 read at $1, 100 out at $50 a million
STEP_USD = (200 * 10 + 800 * 1 + 100 * 50) / 1e6
PRICES = {"input": 10, "output": 50, "cache_read": 1}
LOOK, MEND = Bash("cat counting.py", usage=USAGE), Bash(FIX, usage=USAGE)
END = Submit(usage=USAGE)

Metered = Callable[..., Path]


@pytest.fixture
def metered(study: Study, monkeypatch: pytest.MonkeyPatch) -> Metered:
    """A study of the smallest agent and a model served by *served*; other keys go over these."""
    monkeypatch.setenv("SOME_KEY", KEY)

    def write(served: ScriptedModel, /, options: Any = None, **keys: Any) -> Path:
        address = {"api_base": served.url, "api_key_env": "SOME_KEY"}
        given: dict[str, Any] = {
            "agent": {"name": "command", "command": AGENT, "options": options or {}},
            "model": {"name": "openai/m", **address, "prices": PRICES, **keys.pop("model", {})},
            "environment": {"trusted": True},
            "sampler": {"n_transformations": 1, "transformations": ["if_true_wrapper"]},
            "runs": 1,
            **keys,
        }
        return study(**given)

    return write


def records(pytester: pytest.Pytester) -> list[Any]:
    paths = sorted((pytester.path / "reports").rglob("record.json"))
    return [json.loads(path.read_text()) for path in paths]


def test_figures_are_the_meters_and_the_key_stays_outside(
    pytester: pytest.Pytester, metered: Metered, run: Run
) -> None:
    pytester.makeconftest(
        "import sys\ndef pytest_sessionfinish():\n    assert 'litellm' not in sys.modules\n"
    )
    with scripted_model(solve=Scenario((Bash("env", usage=USAGE), MEND, END))) as model:
        result = run(f"--jagged-config={metered(model)}")
    assert result.ret == 0, result.stderr.str()
    found = records(pytester)
    assert [record["case"]["condition"] for record in found] == ["baseline", "perturbed"]
    for record in found:
        assert record["outcome"] == "resolved"
        assert record["steps"] == 3
        assert record["tokens"] == {
            "input": 3000,
            "output": 300,
            "cache_read": 2400,
            "cache_write": 0,
        }
        assert record["cost_usd"] == pytest.approx(3 * STEP_USD)
        assert record["metering"]["answered"] == 3
    assert {request.body["temperature"] for request in model.requests} == {1.0}
    assert {request.key for request in model.requests} == {KEY}
    assert not any(record["warnings"] for record in found)
    check_that_the_key_is_kept_nowhere(pytester.path / "reports")


def check_that_the_key_is_kept_nowhere(reports: Path) -> None:
    kept = [path for path in reports.rglob("*") if path.is_file()]
    logs = [path.read_text() for path in kept if path.name == "agent.log"]
    assert len(logs) == len([path for path in kept if path.name == "requests.jsonl"]) == 2
    assert all("OPENAI_API_KEY=unused" in log for log in logs)
    assert all(b"the-providers-secret" not in path.read_bytes() for path in kept)


def test_prices_are_pinned_when_the_study_begins(
    pytester: pytest.Pytester, metered: Metered, run: Run
) -> None:
    with scripted_model(solve=Scenario((MEND, END))) as model:
        gpt = {"name": "openai/gpt-4o", "prices": None}
        path = metered(model, model=gpt)
        assert run(f"--jagged-config={path}").ret == 0
        file = pytester.path / "reports" / "mine" / "study.json"
        written = json.loads(file.read_text())
        assert written["prices"]["source"].startswith("litellm ")
        assert written["prices"]["usd_per_million"]["input"] == 2.5
        # As if the installed table had other prices by the second session.
        written["prices"]["usd_per_million"]["input"] = 250.0
        file.write_text(json.dumps(written))
        assert run(f"--jagged-config={path}", "--jagged-runs=2").ret == 0
    early, late = [r["cost_usd"] for r in records(pytester) if r["case"]["condition"] == "baseline"]
    assert late == pytest.approx(early + 2 * 200 * (250 - 2.5) / 1e6)
    assert json.loads(file.read_text())["prices"]["usd_per_million"]["input"] == 250.0


def test_a_budget_needs_prices(metered: Metered, run: Run) -> None:
    with scripted_model(solve=Scenario((END,))) as model:
        path = metered(model, model={"prices": None}, session={"budget_usd": 5})
        result = run(f"--jagged-config={path}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*session.budget_usd: nobody knows what m costs*model.prices*"])
    assert model.requests == []


def test_keys_have_no_place_in_environments(
    metered: Metered, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_model(solve=Scenario((END,))) as model:
        path = metered(model, options={"pass_env": ["SOME_KEY"]})
        result = run(f"--jagged-config={path}")
        assert result.ret == 4
        result.stderr.fnmatch_lines(["*pass_env: SOME_KEY is put in by the metering proxy*"])
        monkeypatch.delenv("SOME_KEY")
        result = run(f"--jagged-config={metered(model)}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*model: SOME_KEY is not set; export*"])


def test_a_limit_of_steps_ends_any_agent(
    pytester: pytest.Pytester, metered: Metered, run: Run
) -> None:
    with scripted_model(solve=Scenario((LOOK,))) as model:
        path = metered(model, limits={"steps": 2}, conditions=["baseline"])
        assert run(f"--jagged-config={path}").ret == 0
    (record,) = records(pytester)
    assert (record["outcome"], record["exit"]) == ("limit_reached", "step_limit")
    assert (record["steps"], len(model.requests)) == (2, 2)


def test_a_rate_limit_is_tried_again_and_paid_for(
    pytester: pytest.Pytester, metered: Metered, run: Run
) -> None:
    """The agent gives up after three tries; the run is made again in a fresh environment."""
    slow = Fault(429, "rate_limit_exceeded", "slow down", {"Retry-After": "0"}, times=3)
    script = Scenario((LOOK, Bash(FIX, usage=USAGE, faults=(slow,)), END))
    with scripted_model(solve=script) as model:
        assert run(f"--jagged-config={metered(model, conditions=['baseline'])}").ret == 0
    (record,) = records(pytester)
    assert (record["outcome"], record["steps"]) == ("resolved", 3)
    (attempt,) = record["attempts"]
    assert (attempt["exit"], attempt["cost_usd"]) == ("rate_limit", pytest.approx(STEP_USD))
    report = report_of(pytester)
    assert report["study"]["model"] == "openai/m"


def test_a_used_up_quota_ends_the_session_and_the_next_goes_on(
    pytester: pytest.Pytester, metered: Metered, run: Run
) -> None:
    poor = Fault(429, "insufficient_quota", "You exceeded your current quota")
    with scripted_model(solve=Scenario((Bash(FIX, usage=USAGE, faults=(poor,) * 3), END))) as model:
        path = metered(model, conditions=["baseline"], runs=3)
        first = run(f"--jagged-config={path}")
        (lost,) = records(pytester)
        assert (lost["exit"], lost["attempts"]) == ("rate_limit", [])
        assert len(model.requests) == 3  # all of one try of one run
        second = run(f"--jagged-config={path}")
    first.stdout.fnmatch_lines(["*quota: 429: You exceeded your current quota*"])
    assert first.ret == 1
    assert second.ret == 0
    assert [record["outcome"] for record in records(pytester)] == ["resolved"] * 3


@pytest.mark.parametrize(
    ("agent", "warnings"),
    [
        ("gold-patch", []),
        (
            {"name": "command", "command": FIX},
            ["the model's use was not metered: figures are the agent's own"],
        ),
    ],
    ids=["without a model", "with one that nobody can meter"],
)
def test_figures_that_nobody_metered_are_marked(
    pytester: pytest.Pytester, study: Study, run: Run, agent: Any, warnings: list[str]
) -> None:
    keys: dict[str, Any] = {"model": {"name": "mine/m"}, "environment": {"trusted": True}}
    path = study(agent=agent, runs=1, conditions=["baseline"], **keys)
    assert run(f"--jagged-config={path}").ret == 0
    (record,) = records(pytester)
    assert (record["warnings"], record["metering"]) == (warnings, None)
