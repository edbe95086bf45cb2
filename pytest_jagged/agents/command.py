"""Any shell command as an agent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_jagged.agents.command_options import CommandOptions
from pytest_jagged.agents.command_template import (
    METERED,
    check_command,
    fill_command,
    fill_value,
    names_in,
)
from pytest_jagged.agents.result_file import read_result
from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.environment import Ending, Environment, ExecResult, Isolation
from pytest_jagged.contracts.metering import PLACEHOLDER_KEY
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError, EnvironmentFailure
from pytest_jagged.metering import find_service
from pytest_jagged.secret_values import remove_secrets, secret_values

__all__ = ["CommandAgent"]

_KILLED = (137, 143)
_PUT_IN_S = 60.0


class CommandAgent:
    """Runs `agent.command` in the tree with `{task_file}` (outside the tree), `{workdir}`,
    `{model}`, `{result_file}` and the like put in, each quoted for the shell.

    The result file is optional JSON: `{exit, steps, cost_usd, tokens: {input, output, cache_read,
    cache_write}, trajectory}`. Host variables reach the command only when `options: {pass_env:
    [NAME]}` names them; their values are removed from all that is kept. A metered model is reached
    by the variables that clients of OpenAI and Anthropic look at.
    """

    name = "command"
    needs_gold_patch = False

    def __init__(self, settings: AgentSettings, model: ModelSettings | None) -> None:
        if not settings.command:
            raise ConfigError("agent.command: is missing; write the shell command to run")
        check_command(settings.command)
        self._options = CommandOptions.read(settings.options)
        self._command = settings.command
        self._settings = settings
        self.uses_model = model is not None
        self._check_placeholders(model)

    def _check_placeholders(self, model: ModelSettings | None) -> None:
        options = self._options
        used = set(names_in([self._command, options.env, options.json_env]))
        if model is None and used & {"model", "temperature", *METERED}:
            name = sorted(used & {"model", "temperature", *METERED})[0]
            raise ConfigError(f"agent.command: names {{{name}}} but the study has no model: block")
        if used & set(METERED) and (model is None or find_service(model) is None):
            raise ConfigError(
                f"agent.command: names {{{sorted(used & set(METERED))[0]}}} but nothing tells where"
                " the model is served; write model.api_base"
            )
        if "binary" in used and options.binary is None:
            raise ConfigError("agent.command: names {binary}; write options: {binary: PATH}")

    def probe(self) -> str:
        missing = [name for name in self._options.pass_env if name not in os.environ]
        if missing:
            raise ConfigError(
                f"agent.options.pass_env: {', '.join(missing)} not set; export it before starting"
            )
        binary = self._options.binary
        if binary is not None and not os.access(binary, os.X_OK):
            raise ConfigError(f"agent.options.binary: {binary} is no program; check the path")
        return self._settings.version or json_digest(self._command)[:12]

    def identity(self) -> Mapping[str, Any]:
        """Where a program lies on this machine is no part of it; its version should be."""
        options = self._settings.options
        return {
            "name": self.name,
            "version": self._settings.version or json_digest(self._command)[:12],
            "command": self._command,
            "options": {key: options[key] for key in sorted(options) if key != "binary"},
        }

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        values = self._values(job, environment)
        task = job.artifacts / "task.md"
        task.write_text(job.task, "utf-8", errors="replace")
        environment.copy_in(task, values["task_file"])
        done = environment.exec(
            fill_command(self._command, values),
            timeout=job.limits.wall_s,
            idle_timeout=job.limits.idle_s,
            env=self._variables(job, values),
        )
        # Before anything is made of them: the last line of stderr becomes the record's detail.
        done = replace(done, stdout=self._clean(done.stdout), stderr=self._clean(done.stderr))
        (job.artifacts / "agent.log").write_bytes(done.stdout + done.stderr)
        return self._result(done, self._read_result_file(environment, values["result_file"]))

    def _values(self, job: AgentJob, environment: Environment) -> dict[str, Any]:
        values: dict[str, Any] = {
            "task_file": f"{environment.scratch}/task.md",
            "workdir": environment.workdir,
            "model": job.model,
            "temperature": job.temperature,
            "result_file": f"{environment.scratch}/result.json",
        }
        if self._options.binary is not None:
            values["binary"] = self._put_in(environment)
        if job.access is not None:
            host = environment.host_url(job.access.port)
            values["model_id"] = job.access.model
            values["openai_url"] = job.access.openai_url(host)
            values["anthropic_url"] = job.access.anthropic_url(host)
            values["key"] = PLACEHOLDER_KEY
        return values

    def _put_in(self, environment: Environment) -> str:
        """A local environment sees the host's programs; others are given a copy."""
        binary = self._options.binary
        assert binary is not None
        binary = binary.resolve()
        if environment.isolation is Isolation.NONE:
            return str(binary)
        path = f"{environment.scratch}/bin/{binary.name}"
        environment.copy_in(binary, path)
        done = environment.exec(["chmod", "755", path], timeout=_PUT_IN_S)
        if not done.ok:
            raise EnvironmentFailure(f"cannot make {path} a program in the environment")
        return path

    def _variables(self, job: AgentJob, values: Mapping[str, Any]) -> dict[str, str]:
        options = self._options
        own = {name: str(fill_value(text, values)) for name, text in options.env.items()}
        for name, value in options.json_env.items():
            own[name] = json.dumps(fill_value(value, values))
        model = {} if job.access is None else _model_variables(values)
        return {**model, **own, **secret_values(options.pass_env)}

    def _result(self, done: ExecResult, data: bytes | None) -> AgentResult:
        exit_, detail = _exit(done)
        own_end = done.ending is Ending.EXITED and done.exit_code not in _KILLED
        result = AgentResult(exit_, detail=detail)
        if data is not None:
            result = read_result(self._clean(data), exit_, detail, believed=own_end)
        if result.trajectory is None and self._options.json_lines:
            events = _json_lines(done.stdout)
            result = replace(result, trajectory={"format": "json_lines", "events": events})
        return result

    @staticmethod
    def _read_result_file(environment: Environment, path: str) -> bytes | None:
        try:
            return environment.read(path)
        except EnvironmentFailure:  # the agent made it something that is no file
            return b""

    def _clean(self, data: bytes) -> bytes:
        return remove_secrets(data, self._options.pass_env)


def _model_variables(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": values["openai_url"],
        "OPENAI_API_BASE": values["openai_url"],
        "OPENAI_API_KEY": values["key"],
        "ANTHROPIC_BASE_URL": values["anthropic_url"],
        "ANTHROPIC_API_KEY": values["key"],
    }


def _json_lines(stdout: bytes) -> list[Any]:
    """Lines that are no JSON object are talk, which the log has."""
    events = []
    for line in stdout.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            events.append(value)
    return events


def _exit(done: ExecResult) -> tuple[Exit, str]:
    if done.ending is Ending.TIMED_OUT:
        return Exit.WALL_LIMIT, f"killed after {done.duration_s:.0f} s"
    if done.ending is Ending.IDLE:
        return Exit.IDLE, f"silent too long, killed after {done.duration_s:.0f} s"
    if done.ending is Ending.OUT_OF_MEMORY:
        return Exit.CRASH, "out of memory"
    if done.ending is Ending.CANCELLED:
        return Exit.ENVIRONMENT_ERROR, "cancelled"
    if done.exit_code == 0:
        return Exit.SUBMITTED, ""
    how = "killed" if done.exit_code in _KILLED else "exited"
    tail = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Exit.CRASH, f"{how} with code {done.exit_code}" + (f": {tail[-1][:200]}" if tail else "")
