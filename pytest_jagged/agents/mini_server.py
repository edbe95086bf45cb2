"""The process that has imported mini-swe-agent, and the runs that are forks of it."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["DriverRun", "driver_for"]

_DRIVER = Path(__file__).with_name("mini_driver.py")
_START_S = 300.0  # litellm's import on a busy machine whose byte code is not compiled
_GRACE_S = 10.0
_servers: dict[tuple[Path, int], _Server] = {}  # by interpreter and retries


def driver_for(python: Path, retries: int) -> _Server:
    """The server of this interpreter in this process, started when first asked for."""
    server = _servers.get((python, retries))
    if server is None or not server.is_alive:
        server = _servers[python, retries] = _Server(python, retries)
    return server


class DriverRun:
    """One forked run; `receive` gives its messages."""

    def __init__(self, connection: socket.socket, pid: int, data: bytes) -> None:
        self._connection = connection
        self._pid = pid
        self._data = data

    def receive(self, until: float) -> dict[str, Any] | None:
        """The next message; None when none came until that moment of `time.monotonic`.

        Raises:
            EOFError: the run ended without a word.
        """
        line, self._data = _line(self._connection, self._data, until)
        return None if line is None else json.loads(line)

    def answer(self, **message: Any) -> None:
        # A run that has died meanwhile is found out by the next `receive`.
        with contextlib.suppress(OSError):
            self._connection.sendall(json.dumps(message).encode() + b"\n")

    def stop(self) -> dict[str, Any] | None:
        """Have it say how far it came; None if it does not, in a few seconds."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        until = time.monotonic() + _GRACE_S
        try:
            while (message := self.receive(until)) is not None:
                if "status" in message:
                    return message
        except EOFError:
            pass
        return None

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self._connection.close()


class _Server:
    """Told of jobs by its standard input; ends when that is closed, also by our own death."""

    def __init__(self, python: Path, retries: int) -> None:
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp())
        atexit.register(self.close)
        with (self._folder / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                [python, "-u", _DRIVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self._folder,
                env=_variables(self._folder, retries),
                start_new_session=True,
            )
        self._wait_until_ready(python)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @contextmanager
    def run(self, job: Mapping[str, Any]) -> Iterator[DriverRun]:
        """A run of *job*; nothing of it is left afterwards."""
        folder = Path(tempfile.mkdtemp(dir="/tmp"))  # a socket's path is a hundred bytes at most
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                path = folder / "s"
                listener.bind(str(path))
                listener.listen(1)
                self._tell({**job, "socket": str(path)})
                run = _accept(listener)
            try:
                yield run
            finally:
                run.end()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(_GRACE_S)
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _tell(self, job: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(json.dumps(job).encode() + b"\n")
                self._process.stdin.flush()
        except OSError as error:
            raise EnvironmentFailure(f"the agent's driver has died: {self._complaint()}") from error

    def _wait_until_ready(self, python: Path) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], _START_S)
        if not ready or not stdout.readline():
            complaint = self._complaint()
            self._process.kill()
            raise EnvironmentFailure(f"{python}: mini-swe-agent does not start: {complaint}")

    def _complaint(self) -> str:
        text = (self._folder / "errors").read_text("utf-8", "replace").strip()
        return text.splitlines()[-1][:300] if text else "no word"


def _accept(listener: socket.socket) -> DriverRun:
    listener.settimeout(_GRACE_S * 6)
    try:
        connection, _ = listener.accept()
    except TimeoutError as error:
        raise EnvironmentFailure("the agent's driver does not answer") from error
    try:
        line, rest = _line(connection, b"", time.monotonic() + _GRACE_S)
    except EOFError:
        line = None
    if line is None:
        connection.close()
        raise EnvironmentFailure("the agent's driver does not answer")
    return DriverRun(connection, int(json.loads(line)["pid"]), rest)


def _line(connection: socket.socket, data: bytes, until: float) -> tuple[bytes | None, bytes]:
    """A line and what follows it; None when it is not whole until then."""
    while b"\n" not in data:
        rest = until - time.monotonic()
        if rest <= 0 or not select.select([connection], [], [], rest)[0]:
            return None, data
        more = _receive(connection)
        if not more:
            raise EOFError
        data += more
    line, _, data = data.partition(b"\n")
    return line, data


def _receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1 << 16)
    except OSError:
        return b""


def _variables(home: Path, retries: int) -> dict[str, str]:
    """No setting of the person who runs the study reaches the scaffold, and no key."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_GLOBAL_CONFIG_DIR": str(home / "mini"),
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": str(retries),
    }
