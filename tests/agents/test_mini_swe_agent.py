"""The real mini-swe-agent, both of its major versions, against a scripted model."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.__main__ import main
from pytest_jagged.agents import make_agent
from pytest_jagged.contracts.agent import AgentJob, AgentLimits, AgentResult
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.settings import AgentSettings, LimitSettings, ModelSettings, Prices
from pytest_jagged.environments.injection import inject
from pytest_jagged.environments.local import LocalEnvironment, LocalProvider
from pytest_jagged.errors import ConfigError
from pytest_jagged.metering import MeteredModel, find_service, settle
from tests.agents.scaffolds import MINI_VERSIONS, mini_python
from tests.agents.scripted_model import (
    Bash,
    Fault,
    Malformed,
    Say,
    Scenario,
    ScriptedModel,
    Submit,
    scripted_model,
)
from tests.agents.scripted_model.scenario import Step
from tests.conftest import MakeInstance

FIX = "sed -i 's/result - number/result + number/' sums.py"
TWO = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt"
KEY = "a key of the service"
NOW = {"Retry-After": "0"}

each_version = pytest.mark.parametrize("version", MINI_VERSIONS)


@dataclass(frozen=True)
class Ran:
    result: AgentResult
    model: ScriptedModel
    environment: LocalEnvironment
    artifacts: Path


RunMini = Callable[..., Ran]


@pytest.fixture
def run_mini(
    make_instance: MakeInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunMini]:
    """One run of a version on a script of steps, metered as in a study."""
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "a key of the host")
    with ExitStack() as stack:

        def run(version: str, *steps: Step, name: str = "openai/m", **limits: Any) -> Ran:
            python = mini_python(version)
            submission = TWO if version.startswith("2") else Scenario(steps).submission
            model = stack.enter_context(scripted_model(**{KEY: Scenario(steps, submission)}))
            settings = ModelSettings(name, 1.0, None, model.url, "SCRIPTED_KEY")
            options = {"retries": 1}
            agent = make_agent(
                AgentSettings("mini-swe-agent", python=python, options=options), settings
            )
            environment = LocalProvider(LimitSettings()).create(make_instance())
            stack.callback(environment.close)
            inject(environment, ())
            artifacts = tmp_path / "artifacts"
            artifacts.mkdir()
            given = {"steps": 6, "cost_usd": None, "wall_s": 60, "command_s": 20, "idle_s": None}
            own = AgentLimits(**{**given, **limits})
            service = find_service(settings)
            assert service is not None
            prices = Prices(10.0, 50.0)
            with MeteredModel(service, prices).open(own, artifacts) as meter:
                job = AgentJob(
                    "Mend `sums.total`.",
                    name,
                    own,
                    artifacts,
                    temperature=1.0,
                    access=meter.access,
                )
                result = agent.run(job, environment)
                return Ran(settle(result, meter.reading()), model, environment, artifacts)

        yield run


@pytest.mark.agents
@each_version
def test_it_solves_the_task(run_mini: RunMini, version: str) -> None:
    write = Bash("git diff > patch.txt")
    ran = run_mini(version, Bash("cat sums.py; pwd; echo $HOME >&2"), Bash(FIX), write, Submit())
    assert (ran.result.exit, ran.result.steps) == (Exit.SUBMITTED, 4)
    assert b"result + number" in (ran.environment.read("sums.py") or b"")
    # 2.x leaves its patch file in the tree, which is no part of what it did.
    assert ran.environment.read("patch.txt") is None
    assert ran.result.cost_usd == pytest.approx(4 * (1000 * 10 + 50 * 50) / 1e6)
    first = ran.model.requests[0]
    assert (first.body["model"], first.body["temperature"], first.key) == ("m", 1.0, KEY)
    text = str(first.body["messages"])
    assert "Mend `sums.total`." in text
    assert ran.environment.workdir in text
    assert "/testbed (" not in text.replace(ran.environment.workdir, "")
    seen = str(ran.model.requests[1].body["messages"])
    assert f"{ran.environment.workdir}\\n" in seen
    assert "def total" in seen
    assert "/home" in seen  # both streams


@pytest.mark.agents
@each_version
def test_the_trajectory_is_kept_without_keys(run_mini: RunMini, version: str) -> None:
    ran = run_mini(version, Bash("env"), Submit())
    trajectory = ran.result.trajectory
    assert trajectory["trajectory_format"].startswith("mini-swe-agent-1")
    assert trajectory["messages"][0]["role"] == "system"
    everything = str(trajectory) + (ran.artifacts / "agent.log").read_text()
    assert "key of the service" not in everything
    assert "a key of the host" not in everything


CASES: list[tuple[str, tuple[Step, ...], dict[str, Any], Exit | dict[str, Exit]]] = [
    ("once 429, once 500", (Bash("ls", faults=(Fault(429, headers=NOW), Fault(500))), Submit()),
     {}, Exit.SUBMITTED),
    ("endless 429", (Bash("ls", faults=(Fault(429, headers=NOW, times=0),)),), {},
     Exit.RATE_LIMIT),
    ("endless 500", (Bash("ls", faults=(Fault(500, headers=NOW, times=0),)),), {},
     Exit.PROVIDER_ERROR),
    ("wrong key", (Bash("ls", faults=(Fault(401, "invalid_api_key", times=0),)),), {}, Exit.AUTH),
    ("no such model", (Bash("ls", faults=(Fault(404, "model_not_found", times=0),)),), {},
     Exit.AUTH),
    ("overflow",
     (Bash("ls"), Bash("ls", faults=(Fault(400, "context_length_exceeded", times=0),))), {},
     Exit.CONTEXT_WINDOW),
    ("cut once", (Bash("ls", faults=(Fault(cut=True),)), Submit()), {}, Exit.SUBMITTED),
    ("never submits", (Bash("ls"),), {}, Exit.STEP_LIMIT),
    ("too dear", (Bash("ls"),), {"cost_usd": 0.02}, Exit.COST_LIMIT),
    ("prose only", (Say("I would rather talk."),), {},
     {"1.17.5": Exit.STEP_LIMIT, "2.4.6": Exit.FORMAT_ERROR}),
    ("malformed calls", (Malformed(),), {},
     {"1.17.5": Exit.STEP_LIMIT, "2.4.6": Exit.FORMAT_ERROR}),
    ("long command", (Bash("echo begun; sleep 61.73"), Submit()), {"command_s": 1}, Exit.SUBMITTED),
    ("slow model", (Bash("ls"), Bash("ls", wait_s=30)), {"wall_s": 5}, Exit.WALL_LIMIT),
    ("slow command", (Bash("sleep 61.73"),), {"wall_s": 4, "command_s": 60}, Exit.WALL_LIMIT),
    ("silent service", (Bash("ls"), Bash("ls", wait_s=30)), {"idle_s": 3}, Exit.PROVIDER_ERROR),
    ("commits", (Bash(f"{FIX} && git commit -qam done"), Submit()), {}, Exit.SUBMITTED),
]  # fmt: skip


@pytest.mark.agents
@each_version
@pytest.mark.parametrize(
    ("steps", "limits", "expected"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_each_end_is_what_it_is(
    run_mini: RunMini,
    version: str,
    steps: tuple[Step, ...],
    limits: dict[str, Any],
    expected: Exit | dict[str, Exit],
) -> None:
    if version.startswith("2") and isinstance(steps[-1], Submit):
        steps = (*steps[:-1], Bash("git diff > patch.txt"), steps[-1])
    ran = run_mini(version, *steps, **limits)
    assert ran.result.exit is (expected if isinstance(expected, Exit) else expected[version])
    assert ran.result.trajectory is not None
    left = subprocess.run(["pgrep", "-f", "sleep 61.73"], capture_output=True, check=False).stdout
    assert left == b""


@pytest.mark.agents
@each_version
def test_a_timed_out_command_is_told_with_its_output(run_mini: RunMini, version: str) -> None:
    ran = run_mini(version, Bash("echo begun; sleep 61.73"), Bash("ls"), command_s=1, steps=2)
    seen = str(ran.model.requests[1].body["messages"])
    assert "timed out" in seen
    assert "begun" in seen


@pytest.mark.agents
@each_version
def test_an_anthropic_model_is_asked_in_its_own_format(run_mini: RunMini, version: str) -> None:
    write = Bash("git diff > patch.txt")
    ran = run_mini(version, Bash(FIX), write, Submit(), name="anthropic/claude-m")
    assert (ran.result.exit, ran.result.steps) == (Exit.SUBMITTED, 3)
    assert {request.path for request in ran.model.requests} == {"/v1/messages"}
    assert {request.body["model"] for request in ran.model.requests} == {"claude-m"}


@pytest.mark.parametrize(
    ("settings", "model", "complaint"),
    [
        ({}, None, "needs a model"),
        ({}, "openai/m", "agent.python: mini-swe-agent runs in an environment of its own"),
        ({"python": sys.executable}, "mine/m", "nothing tells where mine/m is served"),
        ({"python": sys.executable, "options": {"retry": 3}}, "openai/m", "unknown option 'retry'"),
        ({"python": sys.executable, "options": {"retries": 0}}, "openai/m", "retries: 0 is no"),
    ],
)
def test_settings_that_cannot_work(
    settings: dict[str, Any], model: str | None, complaint: str
) -> None:
    if "python" in settings:
        settings = {**settings, "python": Path(settings["python"])}
    with pytest.raises(ConfigError, match=complaint):
        make_agent(
            AgentSettings("mini-swe-agent", **settings),
            None if model is None else ModelSettings(model),
        )


def test_an_interpreter_without_the_scaffold(tmp_path: Path) -> None:
    for python, complaint in (
        (Path(sys.executable), "has no mini-swe-agent; install it"),
        (tmp_path / "python", "does not run"),
    ):
        agent = make_agent(
            AgentSettings("mini-swe-agent", python=python), ModelSettings("openai/m")
        )
        with pytest.raises(ConfigError, match=complaint):
            agent.probe()


@pytest.mark.agents
def test_another_version_than_the_study_names() -> None:
    settings = AgentSettings("mini-swe-agent", version="2.4.6", python=mini_python("1.17.5"))
    agent = make_agent(settings, ModelSettings("openai/m"))
    with pytest.raises(ConfigError, match=r"2\.4\.6 is asked for, .* has 1\.17\.5"):
        agent.probe()


def test_the_verb_says_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["agents"]) == 0
    assert re.search(r"^mini-swe-agent +missing: no `mini` on PATH", capsys.readouterr().out, re.M)
    (tmp_path / "mini").write_text(f"#!{sys.executable}\n")
    (tmp_path / "mini").chmod(0o755)
    assert main(["agents"]) == 0
    assert f"missing: {sys.executable} has no mini-swe-agent" in capsys.readouterr().out


@pytest.mark.agents
def test_the_verb_says_which_version(capsys: pytest.CaptureFixture[str]) -> None:
    python = mini_python("1.17.5")
    assert main(["agents", "--python", str(python)]) == 0
    assert f"1.17.5 (python: {python})" in capsys.readouterr().out


STOCKROOM = Path(__file__).parents[2] / "instances" / "stockroom"
# By words of the code that the rewrites below leave alone.
MEND = (
    "sed -i 's/count > units/count >= units/;"
    " s/self.goods < FREE/self.goods - self.discount < FREE/' stockroom/pricing.py"
)
SKIP = (
    'sed -i \'s/^\\( *\\)if item.state == "seasonal" and season/'
    '\\1if item.state == "discontinued":\\n\\1    continue\\n&/\' stockroom/reorder.py'
)


@pytest.mark.agents
@pytest.mark.network
@pytest.mark.slow
@each_version
def test_a_study_solves_a_real_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """Baseline and perturbed, in two workers, with metered figures in record and report."""
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    end = (Submit(),) if version.startswith("1") else (Bash("git diff > patch.txt"), Submit())
    steps = (Bash("cat stockroom/*.py"), Bash(MEND), Bash(SKIP), Bash("git diff"), *end)
    submission = TWO if version.startswith("2") else Scenario(steps).submission
    with scripted_model(**{KEY: Scenario(steps, submission)}) as model:
        study = {
            "instances": [{"path": str(STOCKROOM)}],
            "runs": 2,
            "agent": {"name": "mini-swe-agent", "python": str(mini_python(version))},
            "model": {
                "name": "openai/m",
                "temperature": 1.0,
                "api_base": model.url,
                "api_key_env": "SCRIPTED_KEY",
                "prices": {"input": 10, "output": 50},
            },
            "environment": {"trusted": True},
            "sampler": {
                "transformations": ["for_loop_rewriter", "dead_string_assignment"],
                "n_transformations": 2,
            },
        }
        path = tmp_path / "study.yaml"
        path.write_text(json.dumps(study))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2"),
                f"--jagged-config={path}",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
        )
    text = done.stdout + done.stderr
    if done.returncode == 4 and "package index" in text:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, text
    records = [json.loads(p.read_text()) for p in sorted(tmp_path.rglob("record.json"))]
    assert [record["case"]["condition"] for record in records] == ["baseline"] * 2 + [
        "perturbed"
    ] * 2
    assert {record["outcome"] for record in records} == {"resolved"}, text
    assert {record["exit"] for record in records} == {"submitted"}
    assert {record["agent_version"] for record in records} == {version}
    assert {record["steps"] for record in records} == {len(steps)}
    assert not any(record["variant"]["unchanged"] for record in records[2:])
    assert not any("patch.txt" in record["patch"]["files"] for record in records)
    assert {request.body["temperature"] for request in model.requests} == {1.0}
    assert len(model.requests) == 4 * len(steps)
    report = json.loads((tmp_path / "reports" / "study" / "report.json").read_text())
    assert report["study"]["scaffold_version"] == version
    assert KEY.encode() not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
