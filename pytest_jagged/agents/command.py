"""Any shell command as an agent."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any

from pytest_jagged.agents.result_file import read_result
from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.environment import Ending, Environment, ExecResult
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError, EnvironmentFailure

__all__ = ["CommandAgent"]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_KNOWN = ("task_file", "workdir", "model", "result_file")
_OPTIONS = ("pass_env", "env")
_KILLED = (137, 143)


class CommandAgent:
    """Runs `agent.command` in the tree with `{task_file}` (outside the tree), `{workdir}`,
    `{model}` and `{result_file}` put in, each quoted for the shell.

    The result file is optional JSON: `{exit, steps, cost_usd, tokens: {input, output, cache_read,
    cache_write}, trajectory}`. Host variables reach the command only when `options: {pass_env:
    [NAME]}` names them; their values are removed from all that is kept.
    """

    name = "command"
    needs_gold_patch = False

    def __init__(self, settings: AgentSettings, model: ModelSettings | None) -> None:
        if not settings.command:
            raise ConfigError("agent.command: is missing; write the shell command to run")
        for name in _PLACEHOLDER.findall(settings.command):
            if name in _KNOWN:
                continue
            raise ConfigError(
                f"agent.command: unknown placeholder {{{name}}}; valid: "
                + ", ".join(f"{{{known}}}" for known in _KNOWN)
            )
        if "{model}" in settings.command and model is None:
            raise ConfigError("agent.command: names {model} but the study has no model: block")
        for name in settings.options:
            if name not in _OPTIONS:
                raise ConfigError(
                    f"agent.options: unknown option {name!r}; valid: {', '.join(_OPTIONS)}"
                )
        self.uses_model = model is not None
        self._settings = settings

    def probe(self) -> str:
        missing = [name for name in self._passed() if name not in os.environ]
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
        task.write_text(job.task, "utf-8")
        environment.copy_in(task, task_file)
        values = {
            "task_file": task_file,
            "workdir": environment.workdir,
            "model": job.model or "",
            "result_file": result_file,
        }
        assert self._settings.command is not None
        command = _PLACEHOLDER.sub(
            lambda match: shlex.quote(values[match[1]]), self._settings.command
        )
        done = environment.exec(
            command,
            timeout=job.limits.wall_s,
            idle_timeout=job.limits.idle_s,
            env=self._variables(),
        )
        log = self._scrub(done.stdout + done.stderr)
        (job.artifacts / "agent.log").write_bytes(log)
        return self._result(done, self._read_result_file(environment, result_file))

    def _result(self, done: ExecResult, data: bytes | None) -> AgentResult:
        exit_, detail = _exit(done)
        if data is None:
            return AgentResult(exit_, detail=detail)
        return read_result(self._scrub(data), exit_, detail)

    @staticmethod
    def _read_result_file(environment: Environment, path: str) -> bytes | None:
        try:
            return environment.read(path)
        except EnvironmentFailure:  # the agent made it something that is no file
            return b""

    def _passed(self) -> list[str]:
        names = self._settings.options.get("pass_env", [])
        return [names] if isinstance(names, str) else list(names)

    def _variables(self) -> dict[str, str]:
        own = {str(k): str(v) for k, v in self._settings.options.get("env", {}).items()}
        return {**own, **{name: os.environ[name] for name in self._passed() if name in os.environ}}

    def _scrub(self, data: bytes) -> bytes:
        for name in self._passed():
            secret = os.environ.get(name, "")
            if len(secret) >= 4:  # shorter values occur by chance everywhere
                data = data.replace(secret.encode(), f"[{name}]".encode())
        return data


def _exit(done: ExecResult) -> tuple[Exit, str]:
    if done.ending is Ending.TIMED_OUT:
        return Exit.WALL_LIMIT, f"killed after {done.duration_s:.0f} s"
    if done.ending is Ending.IDLE:
        return Exit.IDLE, f"silent too long, killed after {done.duration_s:.0f} s"
    if done.ending is Ending.OUT_OF_MEMORY:
        return Exit.CRASH, "out of memory"
    if done.exit_code == 0:
        return Exit.SUBMITTED, ""
    how = "killed" if done.exit_code in _KILLED else "exited"
    tail = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Exit.CRASH, f"{how} with code {done.exit_code}" + (f": {tail[-1][:200]}" if tail else "")
