"""Each agent on a real environment: what it does, and what is kept when it misbehaves."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.agents import make_agent
from pytest_jagged.contracts.agent import AgentJob, AgentLimits, AgentResult, Exit, Tokens
from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.settings import AgentSettings, LimitSettings, ModelSettings
from pytest_jagged.environments.injection import inject
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import ConfigError, EnvironmentFailure
from tests.conftest import GOLD, SOURCE, MakeInstance

Run = Callable[..., AgentResult]


class Bench:
    def __init__(self, instance: Instance, artifacts: Path) -> None:
        artifacts.mkdir()
        self.environment = LocalProvider(LimitSettings()).create(instance)
        inject(self.environment, ())
        self.artifacts = artifacts

    def job(self, *, wall_s: float = 30, idle_s: float | None = None, gold: str = "") -> AgentJob:
        limits = AgentLimits(250, 3.0, wall_s, 60, idle_s)
        return AgentJob("the task's text", "some/model", limits, self.artifacts, gold_patch=gold)

    def command(self, command: str, **limits: Any) -> AgentResult:
        options = limits.pop("options", {})
        settings = AgentSettings("command", command=command, options=options)
        agent = make_agent(settings, ModelSettings("some/model"))
        return agent.run(self.job(**limits), self.environment)


@pytest.fixture
def bench(make_instance: MakeInstance, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(make_instance(), tmp_path / "artifacts")
    yield made
    made.environment.close()


def test_names() -> None:
    with pytest.raises(ConfigError, match=r"unknown agent 'gold_patch'; did you mean 'gold-patch'"):
        make_agent(AgentSettings("gold_patch"), None)


def test_noop(bench: Bench) -> None:
    before = bench.environment.tree_digest()
    result = make_agent(AgentSettings("noop"), None).run(bench.job(), bench.environment)
    assert result == AgentResult(Exit.SUBMITTED, steps=0)
    assert bench.environment.tree_digest() == before


GOLD_AGENT = make_agent(AgentSettings("gold-patch"), None)


def test_gold_patch_edits_by_search_and_replace(bench: Bench) -> None:
    result = GOLD_AGENT.run(bench.job(gold=GOLD), bench.environment)
    assert (result.exit, result.steps, result.cost_usd) == (Exit.SUBMITTED, 1, None)
    assert b"result + number" in (bench.environment.read("sums.py") or b"")


@pytest.mark.parametrize(
    "text",
    [
        SOURCE.replace("result = 0", "result = (0)"),
        SOURCE.replace("    for number", "    # first\n    for number"),
        SOURCE + SOURCE,
        SOURCE.replace("\n", "\r\n"),
    ],
)
def test_a_hunk_that_does_not_match_once_is_skipped(bench: Bench, text: str) -> None:
    bench.environment.write([FileEdit("sums.py", text.encode())])
    result = GOLD_AGENT.run(bench.job(gold=GOLD), bench.environment)
    assert result.steps == 1
    assert "0 of 1" in result.detail
    assert bench.environment.read("sums.py") == text.encode()


def test_gold_patch_makes_renames_and_removes_files(bench: Bench) -> None:
    patch = (
        "diff --git a/new.py b/new.py\n--- /dev/null\n+++ b/new.py\n"
        "@@ -0,0 +1,2 @@\n+a = 1\n+b = 2\n"
        "\\ No newline at end of file\n"
        "diff --git a/.gitignore b/.gitignore\n--- a/.gitignore\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-*.log\n-build/\n"
    )
    result = GOLD_AGENT.run(bench.job(gold=patch), bench.environment)
    assert result.steps == 2
    assert bench.environment.read("new.py") == b"a = 1\nb = 2"
    assert bench.environment.read(".gitignore") is None


def test_gold_patch_follows_what_has_no_hunks(bench: Bench) -> None:
    bench.environment.write([FileEdit("empty.py", b"")])
    patch = (
        "diff --git a/pkg/__init__.py b/pkg/__init__.py\nnew file mode 100644\n"
        "index 0000000..e69de29\n"
        "diff --git a/sums.py b/adding.py\nsimilarity index 100%\n"
        "rename from sums.py\nrename to adding.py\n"
        "diff --git a/empty.py b/empty.py\n--- a/empty.py\n+++ b/empty.py\n@@ -0,0 +1 @@\n+a = 1\n"
    )
    result = GOLD_AGENT.run(bench.job(gold=patch), bench.environment)
    assert "3 of 3" in result.detail
    assert bench.environment.read("pkg/__init__.py") == b""
    assert bench.environment.read("adding.py") == SOURCE.encode()
    assert bench.environment.read("sums.py") is None
    assert bench.environment.read("empty.py") == b"a = 1\n"


def test_braces_of_the_shell_stay_the_shells(bench: Bench) -> None:
    bench.command("word=x; echo ${word} {{word}} {a,b} '{\"a\": {}}' $(echo y | awk '{{print}}')")
    assert (bench.artifacts / "agent.log").read_text() == 'x {word} a b {"a": {}} y\n'


def test_command_placeholders(bench: Bench) -> None:
    result = bench.command(
        "cat {task_file}; echo {workdir} {model}; pwd; ls; env | grep -i key; true"
    )
    assert result.exit is Exit.SUBMITTED
    log = (bench.artifacts / "agent.log").read_text()
    assert log.startswith("the task's text")
    assert f"{bench.environment.workdir} some/model\n{bench.environment.workdir}\n" in log
    assert "task.md" not in log


def test_the_result_file(bench: Bench) -> None:
    value = {
        "exit": "step_limit",
        "steps": 7,
        "cost_usd": 0.25,
        "tokens": {"input": 5, "output": 6, "cache_read": 1},
        "trajectory": [{"a": 1}],
    }
    result = bench.command(f"echo {json.dumps(json.dumps(value))} > {{result_file}}")
    assert (result.exit, result.steps, result.cost_usd) == (Exit.STEP_LIMIT, 7, 0.25)
    assert result.tokens == Tokens(5, 6, 1, 0)
    assert result.trajectory == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("not json", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"steps": -1}', "steps -1 is no count"),
        ('{"cost_usd": NaN}', ""),
        ('{"cost_usd": "1"}', "is no amount"),
        ('{"exit": "bored"}', "unknown exit 'bored'"),
        ('{"tokens": 3}', "tokens is no object"),
        ('{"steps": true}', "steps True is no count"),
        ('{"steps": 1' + "0" * 400 + "}", "is no count"),
        ('{"cost_usd": 1' + "0" * 400 + "}", "is no amount"),
        ('{"cost_usd": 1e999}', ""),
        ("[" * 5000, "not JSON"),
    ],
)
def test_an_odd_result_file_is_noted(bench: Bench, text: str, note: str) -> None:
    result = bench.command(f"printf '%s' '{text}' > {{result_file}}")
    assert result.exit is Exit.SUBMITTED
    assert note in result.detail
    assert (result.steps, result.cost_usd, result.tokens) == (None, None, None)


def test_ways_to_end(bench: Bench) -> None:
    hung = bench.command("echo x > started; sleep 300", wall_s=1)
    assert hung.exit is Exit.WALL_LIMIT
    assert bench.environment.read("started") == b"x\n"
    assert bench.command("sleep 300", idle_s=1).exit is Exit.IDLE
    crash = bench.command("echo oops >&2; exit 4")
    assert crash.exit is Exit.CRASH
    assert "code 4: oops" in crash.detail
    claimed = bench.command('echo \'{"exit": "submitted", "steps": 2}\' > {result_file}; exit 1')
    assert (claimed.exit, claimed.steps) == (Exit.CRASH, 2)
    assert bench.command("kill -9 $PPID; sleep 9").exit is Exit.CRASH


@pytest.mark.parametrize("end", ["rate_limit", "auth", "step_limit", "context_window"])
def test_an_error_may_say_why(bench: Bench, end: str) -> None:
    result = bench.command(f'echo \'{{"exit": "{end}"}}\' > {{result_file}}; exit 1')
    assert result.exit is Exit(end)


def test_a_killed_command_is_not_believed(bench: Bench) -> None:
    claim = 'echo \'{"exit": "rate_limit", "steps": 4}\' > {result_file}; sleep 300'
    result = bench.command(claim, wall_s=1)
    assert (result.exit, result.steps) == (Exit.WALL_LIMIT, 4)


@pytest.mark.parametrize("kind", ["mkfifo {result_file}", "ln -s /dev/zero {result_file}"])
def test_a_result_file_that_never_ends_is_not_read(bench: Bench, kind: str) -> None:
    result = bench.command(kind)
    assert (result.exit, result.steps) == (Exit.SUBMITTED, None)


@pytest.mark.parametrize("secret", ['sk/"12345\\x', "sk-12345"])
def test_secrets_are_removed_however_they_are_spelt(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("THE_KEY", secret)
    monkeypatch.setenv("THE_KEY_2", secret + "more")
    code = (
        "import json, os, sys; k = os.environ['THE_KEY']; "
        "open(sys.argv[1], 'w').write(json.dumps({'trajectory': [k, os.environ['THE_KEY_2']]})); "
        "sys.stderr.write(k + '\\n'); sys.exit(3)"
    )
    result = bench.command(
        f'{sys.executable} -c "{code}" {{result_file}}',
        options={"pass_env": ["THE_KEY", "THE_KEY_2"]},
    )
    assert result.detail == "exited with code 3: [THE_KEY]"
    assert result.trajectory == ["[THE_KEY]", "[THE_KEY_2]"]
    assert (bench.artifacts / "agent.log").read_text() == "[THE_KEY]\n"


def test_secrets_reach_the_command_only_when_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "sk-12345")
    bench.command("echo [$THE_KEY]")
    assert (bench.artifacts / "agent.log").read_text() == "[]\n"
    named = bench.command(
        'echo [$THE_KEY]; echo "{\\"trajectory\\": \\"$THE_KEY\\"}" > {result_file}',
        options={"pass_env": ["THE_KEY"]},
    )
    kept = (bench.artifacts / "agent.log").read_text() + str(named.trajectory)
    assert "sk-12345" not in kept
    assert kept == "[[THE_KEY]]\n[THE_KEY]"


@pytest.mark.parametrize(
    ("settings", "model", "message"),
    [
        (AgentSettings("command"), None, "command: is missing"),
        (AgentSettings("command", command="x {task}"), None, r"\{task\}; valid: \{task_file\}"),
        (AgentSettings("command", command="x {model}"), None, "no model: block"),
        (AgentSettings("command", command="x", options={"passenv": []}), None, "'passenv'"),
        (AgentSettings("python:nothing_like_it:f"), None, "install the package"),
        (AgentSettings("python:json:nothing"), None, "no callable 'nothing'"),
        (AgentSettings("python:json"), None, "python:pkg.module:callable"),
        (AgentSettings("python:.json:f"), None, "python:pkg.module:callable"),
        (AgentSettings("noop", command="x"), None, "noop takes none"),
        (AgentSettings("gold-patch", version="2"), None, "agent.version: gold-patch takes none"),
        (AgentSettings("command", command="x", python=Path("p")), None, "agent.python: command"),
        (AgentSettings("command", command="x", options={"pass_env": 5}), None, "list of variable"),
        (AgentSettings("command", command="x", options={"pass_env": ["a=b"]}), None, "pass_env"),
        (AgentSettings("command", command="x", options={"env": ["a"]}), None, "mapping of names"),
        (AgentSettings("command", command="x", options={"env": {"A": 1}}), None, "in quotes"),
    ],
)
def test_settings_that_cannot_work(
    settings: AgentSettings, model: ModelSettings | None, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        make_agent(settings, model)


def test_a_missing_variable_is_found_before_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THE_KEY", raising=False)
    options = {"pass_env": ["THE_KEY"]}
    agent = make_agent(AgentSettings("command", command="x", options=options), None)
    with pytest.raises(ConfigError, match="THE_KEY not set"):
        agent.probe()


@pytest.mark.parametrize("text", ["1 / 0", "raise SystemExit(3)", "def"])
def test_a_module_that_breaks_is_the_users_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "broken_agent.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"importing broken_agent ended with .*; mend it"):
        make_agent(AgentSettings("python:broken_agent:f"), None)


def good(job: AgentJob, environment: Environment) -> AgentResult:
    environment.write([FileEdit("made.txt", job.task.encode())])
    return AgentResult(Exit.SUBMITTED, steps=1)


def leaves(job: AgentJob, environment: Environment) -> AgentResult:
    sys.exit(3)


def breaks(job: AgentJob, environment: Environment) -> AgentResult:
    raise KeyError("x")


def loses(job: AgentJob, environment: Environment) -> AgentResult:
    raise EnvironmentFailure("gone")


def wrong(job: AgentJob, environment: Environment) -> object:
    return os


def test_python_callables(bench: Bench) -> None:
    def run(name: str) -> AgentResult:
        agent = make_agent(AgentSettings(f"python:{__name__}:{name}"), None)
        return agent.run(bench.job(), bench.environment)

    assert run("good").steps == 1
    assert bench.environment.read("made.txt") == b"the task's text"
    assert run("leaves") == AgentResult(Exit.CRASH, detail="SystemExit: 3")
    assert run("breaks").exit is Exit.CRASH
    assert "KeyError" in (bench.artifacts / "agent.log").read_text()
    with pytest.raises(EnvironmentFailure):
        run("loses")
    with pytest.raises(ConfigError, match="return an AgentResult"):
        run("wrong")
