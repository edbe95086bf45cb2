"""Any shell command as an agent."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_jagged.agents.result_file import read_result
from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.environment import Ending, Environment, ExecResult
from pytest_jagged.contracts.metering import PLACEHOLDER_KEY
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError, EnvironmentFailure
from pytest_jagged.secret_values import remove_secrets, secret_values

__all__ = ["CommandAgent"]

# `{{word}}` is `{word}` for the shell; `${WORD}` is the shell's own.
_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|(?<!\$)\{([A-Za-z_]\w*)\}")
_KNOWN = ("task_file", "workdir", "model", "result_file")
_OPTIONS = ("pass_env", "env")
_KILLED = (137, 143)


class CommandAgent:
    """Runs `agent.command` in the tree with `{task_file}` (outside the tree), `{workdir}`,
    `{model}` and `{result_file}` put in, each quoted for the shell.

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
        for literal, name in _PLACEHOLDER.findall(settings.command):
            if literal or name in _KNOWN:
                continue
            raise ConfigError(
                f"agent.command: unknown placeholder {{{name}}}; valid: "
                + ", ".join(f"{{{known}}}" for known in _KNOWN)
                + f"; write {{{{{name}}}}} for the shell's own"
            )
        if "{model}" in settings.command and model is None:
            raise ConfigError("agent.command: names {model} but the study has no model: block")
        for name in settings.options:
            if name not in _OPTIONS:
                raise ConfigError(
                    f"agent.options: unknown option {name!r}; valid: {', '.join(_OPTIONS)}"
                )
        self._pass_env = _names(settings.options.get("pass_env", []))
        self._env = _variables(settings.options.get("env", {}))
        self.uses_model = model is not None
        self._settings = settings

    def probe(self) -> str:
        missing = [name for name in self._pass_env if name not in os.environ]
        if missing:
            raise ConfigError(
                f"agent.options.pass_env: {', '.join(missing)} not set; export it before starting"
            )
        return self._settings.version or json_digest(self._settings.command)[:12]

    def identity(self) -> Mapping[str, Any]:
        return {
            "name": self.name,
            "version": self._settings.version or json_digest(self._settings.command)[:12],
            "command": self._settings.command,
            "options": {key: self._settings.options[key] for key in sorted(self._settings.options)},
        }

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        task_file = f"{environment.scratch}/task.md"
        result_file = f"{environment.scratch}/result.json"
        task = job.artifacts / "task.md"
        task.write_text(job.task, "utf-8", errors="replace")
        environment.copy_in(task, task_file)
        values = {
            "task_file": task_file,
            "workdir": environment.workdir,
            "model": job.model or "",
            "result_file": result_file,
        }
        assert self._settings.command is not None
        command = _PLACEHOLDER.sub(
            lambda m: f"{{{m[1]}}}" if m[1] else shlex.quote(values[m[2]]), self._settings.command
        )
        done = environment.exec(
            command,
            timeout=job.limits.wall_s,
            idle_timeout=job.limits.idle_s,
            env={
                **_model_variables(job, environment),
                **self._env,
                **secret_values(self._pass_env),
            },
        )
        # Before anything is made of them: the last line of stderr becomes the record's detail.
        done = replace(done, stdout=self._clean(done.stdout), stderr=self._clean(done.stderr))
        (job.artifacts / "agent.log").write_bytes(done.stdout + done.stderr)
        return self._result(done, self._read_result_file(environment, result_file))

    def _result(self, done: ExecResult, data: bytes | None) -> AgentResult:
        exit_, detail = _exit(done)
        if data is None:
            return AgentResult(exit_, detail=detail)
        own_end = done.ending is Ending.EXITED and done.exit_code not in _KILLED
        return read_result(self._clean(data), exit_, detail, believed=own_end)

    @staticmethod
    def _read_result_file(environment: Environment, path: str) -> bytes | None:
        try:
            return environment.read(path)
        except EnvironmentFailure:  # the agent made it something that is no file
            return b""

    def _clean(self, data: bytes) -> bytes:
        return remove_secrets(data, self._pass_env)


def _model_variables(job: AgentJob, environment: Environment) -> dict[str, str]:
    if job.access is None:
        return {}
    host = environment.host_url(job.access.port)
    return {
        "OPENAI_BASE_URL": job.access.openai_url(host),
        "OPENAI_API_BASE": job.access.openai_url(host),
        "OPENAI_API_KEY": PLACEHOLDER_KEY,
        "ANTHROPIC_BASE_URL": job.access.anthropic_url(host),
        "ANTHROPIC_API_KEY": PLACEHOLDER_KEY,
    }


def _names(value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(_is_variable(name) for name in names):
        raise ConfigError(f"agent.options.pass_env: {value!r}; write a list of variable names")
    return list(names)


def _variables(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(_is_variable(name) for name in value):
        raise ConfigError(f"agent.options.env: {value!r}; write a mapping of names to texts")
    for name, text in value.items():
        if not isinstance(text, str) or "\0" in text:
            raise ConfigError(f"agent.options.env.{name}: {text!r} is no text; write it in quotes")
    return dict(value)


def _is_variable(name: Any) -> bool:
    return isinstance(name, str) and name != "" and not {"=", "\0"} & set(name)


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
