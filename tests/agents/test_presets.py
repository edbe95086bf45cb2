"""Command-line agents by preset: the real programs against a scripted model, and settings."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.agents import make_agent
from pytest_jagged.agents.preset import load_preset, preset_names
from pytest_jagged.contracts.agent import AgentJob, AgentLimits, AgentResult
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.settings import AgentSettings, LimitSettings, ModelSettings, Prices
from pytest_jagged.environments.injection import inject
from pytest_jagged.environments.local import LocalEnvironment, LocalProvider
from pytest_jagged.errors import ConfigError
from pytest_jagged.metering import MeteredModel, find_service, settle
from tests.agents.scaffolds import PROGRAMS, program
from tests.agents.scripted_model import (
    Bash,
    Fault,
    Scenario,
    ScriptedModel,
    Submit,
    scripted_model,
)
from tests.agents.scripted_model.scenario import Step
from tests.conftest import MakeInstance

FIX = "sed -i 's/result - number/result + number/' sums.py"
PATHS = {
    "opencode": "/v1/chat/completions",
    "claude-code": "/v1/messages",
    "codex": "/v1/responses",
}
KEY = "the-real-key"
TASK = 'Mend `sums.total`; "quotes", $VARIABLES and\nlines stay.'


@dataclass(frozen=True)
class Ran:
    result: AgentResult
    model: ScriptedModel
    environment: LocalEnvironment
    log: str


RunProgram = Callable[..., Ran]


@pytest.fixture
def run_program(
    make_instance: MakeInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunProgram]:
    """One run of a program on a script of steps, metered as in a study."""
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with ExitStack() as stack:

        def run(scaffold: str, version: str, *steps: Step, **limits: Any) -> Ran:
            options = {"binary": str(program(scaffold, version))}
            model = stack.enter_context(scripted_model(**{KEY: Scenario(steps)}))
            provider = "anthropic" if scaffold == "claude-code" else "openai"
            settings = ModelSettings(f"{provider}/m", 1.0, None, model.url, "SCRIPTED_KEY")
            agent = make_agent(AgentSettings(scaffold, version=version, options=options), settings)
            assert agent.probe() == version
            environment = LocalProvider(LimitSettings()).create(make_instance())
            stack.callback(environment.close)
            inject(environment, ())
            artifacts = tmp_path / "artifacts"
            artifacts.mkdir()
            given = {"steps": 8, "cost_usd": None, "wall_s": 120, "command_s": 60, "idle_s": None}
            own = AgentLimits(**{**given, **limits})
            service = find_service(settings)
            assert service is not None
            with MeteredModel(service, Prices(10.0, 50.0)).open(own, artifacts) as meter:
                job = AgentJob(
                    TASK, settings.name, own, artifacts, temperature=1.0, access=meter.access
                )
                result = settle(agent.run(job, environment), meter.reading())
            return Ran(result, model, environment, (artifacts / "agent.log").read_text())

        yield run


@pytest.mark.agents
@pytest.mark.slow
@pytest.mark.parametrize(("scaffold", "version"), PROGRAMS)
def test_it_solves_the_task(run_program: RunProgram, scaffold: str, version: str) -> None:
    ran = run_program(scaffold, version, Bash("cat sums.py"), Bash(FIX), Submit())
    assert ran.result.exit is Exit.SUBMITTED, ran.log
    assert b"result + number" in (ran.environment.read("sums.py") or b"")
    assert {request.path.partition("?")[0] for request in ran.model.requests} == {PATHS[scaffold]}
    assert {request.body["model"] for request in ran.model.requests} == {"m"}
    assert ran.result.steps == len(ran.model.requests) == 3
    assert ran.result.cost_usd == pytest.approx(3 * (1000 * 10 + 50 * 50) / 1e6)
    assert ran.result.trajectory["events"]
    assert KEY not in ran.log
    assert any(TASK in text for text in texts_of(ran.model.requests[0].body))
    if scaffold == "opencode":  # the others take no temperature
        assert {request.body["temperature"] for request in ran.model.requests} == {1.0}


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


@pytest.mark.agents
@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "limits", "exit_"),
    [
        ((Bash("ls", faults=(Fault(401, "invalid_api_key", times=0),)),), {}, Exit.AUTH),
        (
            (Bash("ls"), Bash("ls", faults=(Fault(400, "context_length_exceeded", times=0),))),
            {},
            Exit.CONTEXT_WINDOW,
        ),
        ((Bash("ls"),), {"steps": 3}, Exit.STEP_LIMIT),
        ((Bash("ls"), Bash("sleep 62.91")), {"wall_s": 25}, Exit.WALL_LIMIT),
    ],
    ids=["wrong key", "overflow", "steps", "wall"],
)
def test_each_end_is_what_it_is(
    run_program: RunProgram, steps: tuple[Step, ...], limits: dict[str, Any], exit_: Exit
) -> None:
    ran = run_program("opencode", "1.18.4", *steps, **limits)
    assert ran.result.exit is exit_, ran.log
    left = subprocess.run(["pgrep", "-f", "sleep 62.91"], capture_output=True, check=False).stdout
    assert left == b""


def fake_program(folder: Path, script: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_complete(tmp_path: Path, name: str) -> None:
    binary = fake_program(tmp_path, "echo program 4.5.6")
    options = {"binary": str(binary), "env": {"MORE": "1"}}
    model = ModelSettings("openai/m", api_base="http://127.0.0.1:9/v1")
    agent = make_agent(AgentSettings(name, options=options), model)
    assert agent.probe() == "4.5.6"
    identity = agent.identity()
    assert (identity["name"], identity["version"]) == (name, "4.5.6")
    assert identity["options"]["env"]["MORE"] == "1"
    assert set(load_preset(name).options.get("env", {})) <= set(identity["options"]["env"])
    assert "binary" not in identity["options"]  # where it lies decides nothing


@pytest.mark.parametrize(
    ("settings", "model", "complaint"),
    [
        ({}, None, "opencode needs a model"),
        ({}, "mine/m", r"nothing tells where the model is served; write model\.api_base"),
        ({"options": {"binaries": "x"}}, "openai/m", "unknown option 'binaries'"),
        ({"options": {"trajectory": "xml"}}, "openai/m", "write json_lines or remove it"),
        ({"command": "x"}, "openai/m", r"agent\.command: opencode takes none"),
    ],
)
def test_settings_that_cannot_work(
    settings: dict[str, Any], model: str | None, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make_agent(
            AgentSettings("opencode", **settings), None if model is None else ModelSettings(model)
        )


def test_a_program_that_is_not_there_or_another(tmp_path: Path) -> None:
    model = ModelSettings("openai/m")
    for script, version, complaint in (
        (None, None, "no program .*; npm install opencode-linux-x64"),
        ("exit 1", None, "no program"),
        ("echo 1.18.4", "1.18.33", r"1\.18\.33 is asked for, .* is 1\.18\.4"),
    ):
        binary = tmp_path / "absent" if script is None else fake_program(tmp_path, script)
        options = {"binary": str(binary)}
        agent = make_agent(AgentSettings("opencode", version=version, options=options), model)
        with pytest.raises(ConfigError, match=complaint):
            agent.probe()
