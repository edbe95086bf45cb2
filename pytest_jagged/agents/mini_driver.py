"""Runs mini-swe-agent 1.x and 2.x, a fork per run, in the environment that holds it.

This file is started by another interpreter than the rest of the package: standard library and
minisweagent only. Importing litellm takes it ten seconds, so that one process imports and each run
is a fork of it. Jobs are JSON lines on standard input; a run talks over the socket its job names:
it asks for commands to be executed and says at last how it ended. No key comes here: the address
that a job gives needs none.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_TREE = "/testbed"  # where the bundled prompts say the repository is


class Stopped(KeyboardInterrupt):
    """The run is over its time. Any other kind of exception would be taken for a failed request
    by the scaffold's retries, and the run would go on.
    """


class Channel:
    """Questions and answers, a JSON line each."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._lines = self._socket.makefile("rb")

    def say(self, **message: Any) -> None:
        self._socket.sendall(json.dumps(message, default=str).encode() + b"\n")

    def ask(self, **message: Any) -> Any:
        self.say(**message)
        line = self._lines.readline()
        if not line:
            raise Stopped
        return json.loads(line)


class RemoteEnvironment:
    """An environment of the scaffold's protocol whose commands are executed by who asked for the
    run; serves both of its major versions.
    """

    def __init__(self, channel: Channel, config: dict[str, Any], submitted: Any) -> None:
        self.config = types.SimpleNamespace(**config)
        self._config = config
        self._channel = channel
        self._submitted = submitted  # the exception of 2.x; None in 1.x, which looks itself

    def execute(self, action: Any, *_: Any) -> dict[str, Any]:
        command = action if isinstance(action, str) else action.get("command", "")
        answer = self._channel.ask(
            command=command,
            timeout=self._config["timeout"],
            env=self._config.get("env", {}),
            interpreter=self._config.get("interpreter", ["bash", "-lc"]),
        )
        if self._submitted is None:
            return self._in_words_of_1(command, answer)
        return self._in_words_of_2(command, answer)

    def _in_words_of_1(self, command: str, answer: dict[str, Any]) -> dict[str, Any]:
        if answer["timed_out"]:
            raise subprocess.TimeoutExpired(
                command, self._config["timeout"], output=answer["output"].encode()
            )
        return {"output": answer["output"], "returncode": answer["returncode"]}

    def _in_words_of_2(self, command: str, answer: dict[str, Any]) -> dict[str, Any]:
        output = {"output": answer["output"], "returncode": answer["returncode"]}
        if answer["timed_out"]:
            error = subprocess.TimeoutExpired(command, self._config["timeout"])
            return {
                **output,
                "returncode": -1,
                "exception_info": f"An error occurred while executing the command: {error}",
                "extra": {"exception_type": type(error).__name__, "exception": str(error)},
            }
        self._end_if_submitted(output)
        return {**output, "exception_info": ""}

    def _end_if_submitted(self, output: dict[str, Any]) -> None:
        lines = output["output"].lstrip().splitlines(keepends=True)
        said = bool(lines) and lines[0].strip() == "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
        if said and output["returncode"] == 0:
            text = "".join(lines[1:])
            extra = {"exit_status": "Submitted", "submission": text}
            raise self._submitted({"role": "exit", "content": text, "extra": extra})

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        return {**self._config, **more}

    def serialize(self) -> dict[str, Any]:
        return {"info": {"config": {"environment": self._config}}}


def serve() -> None:
    """Import once, then a fork per job, until standard input ends."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the imports print
    import litellm
    import minisweagent
    from minisweagent.agents import default
    from minisweagent.models import get_model, litellm_model

    del default, litellm_model  # imported for the forks
    litellm.suppress_debug_info = True
    get_model(config={"model_name": "openai/none"})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    channel.write(json.dumps({"version": minisweagent.__version__}) + "\n")
    channel.flush()
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _run(json.loads(line))
            os._exit(0)


def _run(job: dict[str, Any]) -> None:
    _die_with_parent()
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGTERM, _stop)
    os.environ.update(job["variables"])
    channel = Channel(job["socket"])
    channel.say(pid=os.getpid())
    agent: Any = None
    detail = ""
    try:
        agent = _make_agent(job, channel)
        result = agent.run(job["task"])
        status = result[0] if isinstance(result, tuple) else result.get("exit_status", "")
    except Stopped:
        status = "Stopped"
    except Exception as error:
        status, detail = type(error).__name__, str(error)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    channel.say(status=status, detail=detail, trajectory=_trajectory(agent, status))


def _stop(*_: object) -> None:
    raise Stopped


def _die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _make_agent(job: dict[str, Any], channel: Channel) -> Any:
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.models import get_model

    config = _merged(_bundled_config(), job["config"])
    environment = {**config["environment"], "cwd": job["workdir"]}
    environment.pop("environment_class", None)
    if not job["in_container"]:
        environment.get("env", {}).pop("BASH_ENV", None)  # a file of the image's
    agent = {
        key: value.replace(_TREE, job["workdir"]) if isinstance(value, str) else value
        for key, value in config["agent"].items()
    }
    return DefaultAgent(
        get_model(config=config["model"]),
        RemoteEnvironment(channel, environment, _submitted()),
        **agent,
    )


def _submitted() -> Any:
    try:
        return importlib.import_module("minisweagent.exceptions").Submitted
    except ImportError:  # 1.x
        return None


def _bundled_config() -> dict[str, Any]:
    import minisweagent.config
    import yaml

    folder = Path(minisweagent.config.__file__).parent
    for name in ("benchmarks/swebench.yaml", "extra/swebench.yaml"):
        if (folder / name).is_file():
            config: dict[str, Any] = yaml.safe_load((folder / name).read_text("utf-8"))
            return config
    raise FileNotFoundError(f"{folder} has no swebench.yaml")


def _merged(base: Any, over: Any) -> Any:
    if isinstance(base, dict) and isinstance(over, dict):
        return {**base, **{key: _merged(base.get(key), value) for key, value in over.items()}}
    return over


def _trajectory(agent: Any, status: str) -> Any:
    """The scaffold's own form of it."""
    if agent is None:
        return None
    if hasattr(agent, "serialize"):
        return agent.serialize()
    return {
        "info": {
            "exit_status": status,
            "model_stats": {"instance_cost": agent.model.cost, "api_calls": agent.model.n_calls},
            "config": {
                "agent": dataclasses.asdict(agent.config),
                "model": dataclasses.asdict(agent.model.config),
            },
        },
        "messages": agent.messages,
        "trajectory_format": "mini-swe-agent-1",
    }


if __name__ == "__main__":
    serve()
