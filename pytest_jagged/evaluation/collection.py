"""How each results mode runs a suite and learns what its tests did."""

from __future__ import annotations

import json
import secrets
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pytest_jagged.contracts.environment import Environment, ExecResult
from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.contracts.instance import Instance, ResultsMode
from pytest_jagged.errors import ConfigError
from pytest_jagged.evaluation.log_parsers import find_parser
from pytest_jagged.evaluation.log_parsers.markers import read_log
from pytest_jagged.evaluation.results import (
    Collected,
    read_exit_code,
    read_junit,
    read_plugin_lines,
)

__all__ = ["PLUGIN", "Collection", "check_results_source", "prepare_collection"]

PLUGIN = Path(__file__).with_name("grading_plugin.py")
_STEP_TIMEOUT_S = 300
_SCRIPTS = "{scripts}"


class Collection(Protocol):
    """What was put beside the tree for one run of the suite.

    `log` is what people read of it, `collect` what the grader believes.
    """

    command: str
    env: Mapping[str, str]

    def log(self, done: ExecResult) -> bytes: ...

    def collect(self, done: ExecResult) -> Collected: ...


def check_results_source(instance: Instance) -> None:
    """Raises ConfigError where the results cannot be read as the instance says."""
    source = instance.results
    try:
        if source.mode is ResultsMode.PARSER:
            find_parser(source.argument or "")
    except ConfigError as error:
        raise ConfigError(f"{instance.id}: results: {error}") from None
    if source.mode is ResultsMode.JUNIT and not source.argument:
        raise ConfigError(f"{instance.id}: results: junit needs a path; write junit:PATH")


def prepare_collection(environment: Environment, instance: Instance) -> Collection:
    """Put in place what collects the results. Names are new each time, so that nothing in the tree
    can stand in for them.
    """
    mode = instance.results.mode
    if mode is ResultsMode.PYTEST:
        return _PluginCollection(environment, instance)
    if mode is ResultsMode.PARSER:
        return _LogCollection(environment, instance)
    if mode is ResultsMode.SCRIPTS:
        return _ScriptCollection(environment, instance)
    if mode is ResultsMode.JUNIT:
        return _JUnitCollection(environment, instance)
    return _ExitCodeCollection(instance)


def _new_path(environment: Environment, kind: str) -> str:
    return f"{environment.scratch}/{kind}_{secrets.token_hex(8)}"


def _output(done: ExecResult) -> bytes:
    return done.stdout + b"\n" + done.stderr


class _ExitCodeCollection:
    def __init__(self, instance: Instance) -> None:
        self.command = instance.test_command
        self.env: Mapping[str, str] = {}

    def log(self, done: ExecResult) -> bytes:
        return _output(done)

    def collect(self, done: ExecResult) -> Collected:
        return read_exit_code(done.exit_code or 0)


class _PluginCollection:
    def __init__(self, environment: Environment, instance: Instance) -> None:
        self._environment = environment
        self._results = _new_path(environment, "results")
        plugin = _new_path(environment, "results")
        name = plugin.rpartition("/")[2]
        environment.copy_in(PLUGIN, f"{plugin}_path/{name}.py")
        tree = f"{environment.workdir}/{instance.import_root}"
        self.command = instance.test_command
        self.env: Mapping[str, str] = {
            "RESULTS_FILE": self._results,
            "PYTEST_PLUGINS": name,
            "PYTHONPATH": f"{instance.env.get('PYTHONPATH', tree)}:{plugin}_path",
        }

    def log(self, done: ExecResult) -> bytes:
        return _output(done)

    def collect(self, done: ExecResult) -> Collected:
        return read_plugin_lines(self._environment.read(self._results) or b"")


class _JUnitCollection:
    def __init__(self, environment: Environment, instance: Instance) -> None:
        self._environment = environment
        self._path = instance.results.argument or ""
        # A file that the patch brought must not pass for what the suite writes.
        environment.exec(["rm", "-f", "--", self._path], timeout=_STEP_TIMEOUT_S)
        self.command = instance.test_command
        self.env: Mapping[str, str] = {}

    def log(self, done: ExecResult) -> bytes:
        return _output(done)

    def collect(self, done: ExecResult) -> Collected:
        data = self._environment.read(self._path)
        return Collected({}, "no JUnit file was written") if data is None else read_junit(data)


class _LogCollection:
    """Both streams go to one file, whole and in the order in which they were written."""

    def __init__(self, environment: Environment, instance: Instance) -> None:
        self._environment = environment
        self._parser = find_parser(instance.results.argument or "")
        self._path = _new_path(environment, "log")
        self.command = f"exec >{shlex.quote(self._path)} 2>&1\n{instance.test_command}"
        self.env: Mapping[str, str] = {}

    def log(self, done: ExecResult) -> bytes:
        return (self._environment.read(self._path) or b"") + done.stdout + done.stderr

    def collect(self, done: ExecResult) -> Collected:
        return read_log(self._environment.read(self._path) or b"", self._parser)


class _ScriptCollection:
    """The instance's own scripts: one runs the suite, `parser.py OUT ERR JSON` reads its output."""

    def __init__(self, environment: Environment, instance: Instance) -> None:
        self._environment = environment
        self._folder = _new_path(environment, "scripts")
        with tempfile.TemporaryDirectory() as name:
            for script in instance.scripts:
                (Path(name) / script.path).write_bytes(script.content or b"")
            environment.copy_in(Path(name), self._folder)
        command = instance.test_command.replace(_SCRIPTS, shlex.quote(self._folder))
        self.command = f"exec >{self._file('out')} 2>{self._file('err')}\n{command}"
        self.env: Mapping[str, str] = {}

    def _file(self, name: str) -> str:
        return shlex.quote(f"{self._folder}/{name}")

    def _read(self, name: str) -> bytes:
        return self._environment.read(f"{self._folder}/{name}") or b""

    def log(self, done: ExecResult) -> bytes:
        return self._read("out") + b"\n" + self._read("err") + done.stdout + done.stderr

    def collect(self, done: ExecResult) -> Collected:
        files = " ".join(self._file(name) for name in ("parser.py", "out", "err", "results.json"))
        python = '"$(command -v python || command -v python3)"'
        parsed = self._environment.exec(f"{python} {files}", timeout=_STEP_TIMEOUT_S)
        if not parsed.ok:
            lines = parsed.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
            return Collected({}, f"the instance's parser failed: {lines[-1][:300]}")
        return _read_parsed(self._read("results.json"))


def _read_parsed(data: bytes) -> Collected:
    """`{"tests": [{"name", "status"}]}`; the script's exit code says nothing (`|| true` in it)."""
    try:
        entries = json.loads(data)["tests"]
        words = [(str(entry["name"]), str(entry["status"]).lower()) for entry in entries]
    except (ValueError, KeyError, TypeError) as error:
        return Collected({}, f"the instance's parser wrote no results: {error}")
    known = {status.value: status for status in TestStatus}
    tests = {name: known.get(word, TestStatus.ERROR) for name, word in words}
    return Collected(tests, exit_code_counts=False)
