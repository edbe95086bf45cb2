"""mini-swe-agent 1.x and 2.x, run by the interpreter of the environment that holds it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jagged.agents.merging import merged
from pytest_jagged.agents.mini_server import DriverRun, driver_for
from pytest_jagged.contracts.agent import AgentJob, AgentResult
from pytest_jagged.contracts.environment import Ending, Environment, Isolation
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.contracts.metering import PLACEHOLDER_KEY, ModelAccess
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.metering import ModelService, find_service

__all__ = ["INSTALL", "MiniSweAgent", "installed_version"]

_OPTIONS = ("config", "retries")
_RETRIES = 10  # the scaffold's own default
_PATCH_FILE = "patch.txt"  # 2.x has its model write one into the tree
INSTALL = "python -m venv .mini && .mini/bin/pip install mini-swe-agent"
_VERSION = "import importlib.metadata as m; print(m.version('mini-swe-agent'))"
# Providers whose requests litellm must put into another form than OpenAI's.
_OWN_FORM = ("anthropic", "openrouter")
_EXITS = {
    "Submitted": Exit.SUBMITTED,
    "LimitsExceeded": Exit.STEP_LIMIT,
    "TimeExceeded": Exit.WALL_LIMIT,
    "RepeatedFormatError": Exit.FORMAT_ERROR,
    "ContextWindowExceededError": Exit.CONTEXT_WINDOW,
    "RateLimitError": Exit.RATE_LIMIT,
    "AuthenticationError": Exit.AUTH,
    "PermissionDeniedError": Exit.AUTH,
    "NotFoundError": Exit.AUTH,
    "Timeout": Exit.PROVIDER_ERROR,
    "APIConnectionError": Exit.PROVIDER_ERROR,
    "APIError": Exit.PROVIDER_ERROR,
    "BadGatewayError": Exit.PROVIDER_ERROR,
    "InternalServerError": Exit.PROVIDER_ERROR,
    "ServiceUnavailableError": Exit.PROVIDER_ERROR,
}


class MiniSweAgent:
    """`agent.python` is the interpreter of a virtual environment with mini-swe-agent in it.

    The scaffold thinks on the host and its commands are executed in the environment. Options:
    `config` is merged over its bundled SWE-bench configuration, `retries` is how often it asks a
    service that fails. Cost is limited by the meter alone, since its own table does not know every
    model.
    """

    name = "mini-swe-agent"
    needs_gold_patch = False
    uses_model = True

    def __init__(self, settings: AgentSettings, model: ModelSettings | None) -> None:
        if model is None:
            raise ConfigError("agent: mini-swe-agent needs a model; write model: {name: …}")
        if settings.python is None:
            raise ConfigError(
                "agent.python: mini-swe-agent runs in an environment of its own; make one"
                f" ({INSTALL}) and write python: .mini/bin/python"
            )
        service = find_service(model)
        if service is None:
            raise ConfigError(
                f"model: nothing tells where {model.name} is served; write model.api_base"
            )
        for name in settings.options:
            if name not in _OPTIONS:
                raise ConfigError(
                    f"agent.options: unknown option {name!r}; valid: {', '.join(_OPTIONS)}"
                )
        self._retries = _count(settings.options.get("retries", _RETRIES))
        self._settings = settings
        self._python = settings.python
        self._service: ModelService = service

    def probe(self) -> str:
        return self._version

    @cached_property
    def _version(self) -> str:
        found, wanted = installed_version(self._python), self._settings.version
        if wanted is not None and wanted != found:
            raise ConfigError(
                f"agent.version: {wanted} is asked for, {self._python} has {found}; install"
                f" mini-swe-agent=={wanted} there or change the version"
            )
        return found

    def identity(self) -> Mapping[str, Any]:
        options = self._settings.options
        return {
            "name": self.name,
            "version": self._version,
            "options": {key: options[key] for key in sorted(options)},
        }

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        assert job.access is not None
        had_patch_file = environment.read(_PATCH_FILE) is not None
        driver = driver_for(self._python, self._retries)
        with driver.run(self._driver_job(job, job.access, environment)) as run:
            result = _attend(run, job, environment)
        if not had_patch_file:
            environment.write([FileEdit(_PATCH_FILE, None)])
        return result

    def _driver_job(
        self, job: AgentJob, access: ModelAccess, environment: Environment
    ) -> dict[str, Any]:
        return {
            "task": job.task,
            "workdir": environment.workdir,
            "in_container": environment.isolation is Isolation.CONTAINER,
            "log": str(job.artifacts / "agent.log"),
            "variables": {
                f"{name}_API_KEY": PLACEHOLDER_KEY for name in ("OPENAI", "ANTHROPIC", "OPENROUTER")
            },
            "config": merged(self._config(job, access), self._settings.options.get("config", {})),
        }

    def _config(self, job: AgentJob, access: ModelAccess) -> dict[str, Any]:
        provider = self._service.provider if self._service.provider in _OWN_FORM else "openai"
        address = access.openai_url if provider != "anthropic" else access.anthropic_url
        arguments: dict[str, Any] = {"api_base": address(access.host), "drop_params": True}
        if job.temperature is not None:
            arguments["temperature"] = job.temperature
        return {
            "agent": {"step_limit": job.limits.steps or 0, "cost_limit": 0},
            "environment": {
                "timeout": job.limits.command_s,
                "env": {"PYTHONDONTWRITEBYTECODE": "1"},
            },
            "model": {"model_name": f"{provider}/{access.model}", "model_kwargs": arguments},
        }


def installed_version(python: Path) -> str:
    """Raises ConfigError when *python* does not run or has no mini-swe-agent."""
    command = [str(python), "-c", _VERSION]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"agent.python: {python} does not run: {error}") from error
    if done.returncode != 0:
        raise ConfigError(f"agent.python: {python} has no mini-swe-agent; install it ({INSTALL})")
    return done.stdout.strip()


def _attend(run: DriverRun, job: AgentJob, environment: Environment) -> AgentResult:
    """Execute what the run asks for until it ends, or time does."""
    end = time.monotonic() + job.limits.wall_s
    while True:
        idle_s = job.limits.idle_s
        now = time.monotonic()
        until = end if idle_s is None else min(end, now + idle_s)
        try:
            message = run.receive(until)
        except EOFError:
            return AgentResult(Exit.CRASH, detail="the scaffold died without a word")
        if message is None:
            wall = time.monotonic() >= end
            exit_ = Exit.WALL_LIMIT if wall else Exit.IDLE
            limit = job.limits.wall_s if wall else idle_s
            return _result(run.stop(), exit_, f"stopped after {limit:g} s")
        if "status" in message:
            return _result(message, _EXITS.get(message["status"], Exit.CRASH), "")
        run.answer(**_execute(message, environment, end))


def _execute(message: Mapping[str, Any], environment: Environment, end: float) -> dict[str, Any]:
    """Both streams as one, in the order they were written, as the scaffold has it."""
    script = "exec 2>&1\n" + message["command"]
    in_container = environment.isolation is Isolation.CONTAINER
    done = environment.exec(
        [*message["interpreter"], script] if in_container else script,
        timeout=max(0.1, min(float(message["timeout"]), end - time.monotonic())),
        env=message["env"],
    )
    return {
        "output": (done.stdout + done.stderr).decode("utf-8", "replace"),
        "returncode": -1 if done.exit_code is None else done.exit_code,
        "timed_out": done.ending is not Ending.EXITED,
    }


def _result(message: Mapping[str, Any] | None, exit_: Exit, detail: str) -> AgentResult:
    if message is None:
        return AgentResult(exit_, detail=detail)
    said = f"{message['status']}: {message['detail']}" if message["detail"] else ""
    trajectory = message["trajectory"]
    stats = {} if trajectory is None else trajectory["info"]["model_stats"]
    return AgentResult(
        exit_,
        steps=stats.get("api_calls"),
        cost_usd=stats.get("instance_cost") or None,
        detail=" ".join((detail or said).split())[:300],
        trajectory=trajectory,
    )


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"agent.options.retries: {value!r} is no count; write 1 or more")
    return value
