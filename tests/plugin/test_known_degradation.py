"""A study of a model whose degradation is known, cut short twice and resumed, finds it."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.agents import tiny_agent
from tests.agents.scripted_model import Bash, Chance, Scenario, Submit, scripted_model
from tests.agents.scripted_model.scenario import draw
from tests.plugin.conftest import FIX, Study, report_of

AGENT = shlex.join([sys.executable, tiny_agent.__file__]) + " {task_file} {model}"
INSTANCES = ("alpha", "beta", "gamma")
RUNS = 3
# What the model sees of the repository decides how often it succeeds: in a variant the loop stands
# under a condition, four blanks further to the right.
AS_IT_WAS, REWRITTEN = 0.95, 0.2
ODDS = (("\\n    for number", AS_IT_WAS), ("def total", REWRITTEN))
TRUTH_PP = 100 * (AS_IT_WAS - REWRITTEN)
SUCCEEDS = Chance(FIX, "true", ODDS)


def test_each_run_draws_for_itself_and_always_the_same() -> None:
    runs = [f"run-{number:08x}" for number in range(2000)]
    for text, probability in ODDS:
        drawn = [draw(SUCCEEDS, f"a file with {text}", run) for run in runs]
        # Four standard deviations of 2000 draws.
        allowed = 4 * (probability * (1 - probability) / 2000) ** 0.5
        assert abs(Counter(drawn)[FIX] / 2000 - probability) < allowed
        assert drawn == [draw(SUCCEEDS, f"other text, {text}", run) for run in runs]
    assert draw(SUCCEEDS, "nothing of either", runs[0]) == "true"


def records(folder: Path) -> list[Any]:
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("record.json"))]


def session(pytester: pytest.Pytester, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "4"),
            f"--jagged-config={path}",
        ],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def interrupt(pytester: pytest.Pytester, path: Path, *, after: int) -> None:
    """Ctrl-C as soon as so many more runs are stored."""
    wanted = len(records(pytester.path / "reports")) + after
    started = session(pytester, path)
    deadline = time.monotonic() + 120
    while len(records(pytester.path / "reports")) < wanted and started.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    text, _ = started.communicate(timeout=60)
    assert started.returncode == 2, text


@pytest.mark.slow
def test_the_known_degradation_is_found(
    pytester: pytest.Pytester, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_KEY", "play")
    script = Scenario((Bash("cat counting.py"), SUCCEEDS, Submit()))
    with scripted_model(play=script) as model:
        path = study(
            instances=INSTANCES,
            runs=RUNS,
            conditions=["baseline", "perturbed", "placebo"],
            agent={"name": "command", "command": AGENT},
            model={"name": "openai/m", "api_base": model.url, "api_key_env": "SCRIPTED_KEY"},
            environment={"trusted": True},
            # So sure an interval misses the truth once in ten thousand times.
            statistics={"resamples": 200, "confidence": 0.9999},
            sampler={
                "n_transformations": 1,
                "transformations": ["if_true_wrapper"],
                "site_fraction": 1.0,
            },
        )
        interrupt(pytester, path, after=4)
        interrupt(pytester, path, after=4)
        before = {json.dumps(record) for record in records(pytester.path / "reports")}
        last = session(pytester, path)
        text, _ = last.communicate(timeout=300)
    assert last.returncode == 0, text
    found = records(pytester.path / "reports")
    assert 8 <= len(before) < len(found)
    assert before <= {json.dumps(record) for record in found}  # nothing paid is lost or made twice
    assert len(found) == len(INSTANCES) * RUNS * 3
    assert {record["steps"] for record in found} == {3}
    report = report_of(pytester)
    (perturbed,) = report["configurations"]
    low, high = perturbed["degradation"]["score_interval_pp"]
    assert low <= TRUTH_PP <= high
    placebo = perturbed["placebo"]["against_baseline"]["degradation"]
    low, high = placebo["score_interval_pp"]
    assert low <= 0 <= high
