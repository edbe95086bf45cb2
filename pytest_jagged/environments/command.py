"""Run one command on the host with deadlines, an output cap and nothing left behind."""

from __future__ import annotations

import errno
import os
import secrets
import selectors
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.contracts.environment import Ending, ExecResult
from pytest_jagged.environments.capped_output import CappedOutput
from pytest_jagged.environments.processes import (
    adopt_orphans,
    end_command,
    running_processes,
)
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["TOKEN_VARIABLE", "run_command"]

# Marks every process of a command, whatever it does to its parents, group and session.
TOKEN_VARIABLE = "SESSION_TOKEN"

_CHUNK = 1 << 16
_TICK_S = 0.25
# A shell that stays the command's parent, so that a command which kills its parent kills that.
_GUARDIAN = ("/bin/sh", "-c", '"$@"\nexit $?', "sh")
_CANNOT_START = 126  # what a shell says of a command that it found and could not execute

_running: set[str] = set()  # tokens of the commands that threads of this process run now
_running_lock = threading.Lock()


@dataclass(slots=True)
class _Deadlines:
    end: float
    idle: float | None
    active: float

    def passed(self, now: float) -> Ending | None:
        if now >= self.end:
            return Ending.TIMED_OUT
        if self.idle is not None and now - self.active >= self.idle:
            return Ending.IDLE
        return None


def run_command(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    token: str,
    timeout: float,
    idle_timeout: float | None,
    stdin: bytes | None,
) -> ExecResult:
    """Run to the end, the deadline or silence; when it returns nothing it started is running.

    *token* is the environment's; each command gets one that begins with it.

    Raises:
        EnvironmentFailure: the command could not be started (no folder, no memory, disk full), or
            cannot be ended.
    """
    adopt_orphans()
    token = f"{token}-{secrets.token_hex(8)}"
    start = time.monotonic()
    streams = (CappedOutput(), CappedOutput())
    deadlines = _Deadlines(start + timeout, idle_timeout, start)
    with _registered(token):
        before = running_processes()
        try:
            process = _start(command, cwd, {**env, TOKEN_VARIABLE: token}, stdin)
        except _NotExecutable as error:
            message = f"{error}\n".encode()
            return ExecResult(Ending.EXITED, _CANNOT_START, b"", message, 0.0)
        try:
            ending = _attend(process, streams, deadlines, stdin or b"")
        finally:
            others = _other_tokens(token)
            end_command(process.pid, token, before=before, others=others)
            process.wait()
            _drain(process, streams)
    code = process.returncode
    return ExecResult(
        ending=ending,
        exit_code=(code if code >= 0 else 128 - code) if ending is Ending.EXITED else None,
        stdout=streams[0].value(),
        stderr=streams[1].value(),
        duration_s=time.monotonic() - start,
    )


class _NotExecutable(Exception):
    """No kernel takes this command, wherever it is run: that is an answer to who gave it."""


@contextmanager
def _registered(token: str) -> Iterator[None]:
    with _running_lock:
        _running.add(token)
    try:
        yield
    finally:
        with _running_lock:
            _running.discard(token)


def _other_tokens(token: str) -> frozenset[str]:
    with _running_lock:
        return frozenset(_running - {token})


def _start(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes | None
) -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(
            [*_GUARDIAN, *command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except ValueError as error:  # a NUL in an argument
        raise _NotExecutable(str(error)) from error
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise _NotExecutable(error.strerror) from error
        raise EnvironmentFailure(f"cannot start a command in {cwd}: {error.strerror}") from error
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
    return process


def _attend(
    process: subprocess.Popen[bytes],
    streams: tuple[CappedOutput, CappedOutput],
    deadlines: _Deadlines,
    stdin: bytes,
) -> Ending:
    """Feed and read until the process has ended (its children may hold the pipes longer)."""
    pending = memoryview(stdin)
    with selectors.DefaultSelector() as selector:
        assert process.stdout is not None
        assert process.stderr is not None
        selector.register(process.stdout, selectors.EVENT_READ, streams[0])
        selector.register(process.stderr, selectors.EVENT_READ, streams[1])
        if process.stdin is not None:
            selector.register(process.stdin, selectors.EVENT_WRITE, None)
        while process.poll() is None:
            ending = deadlines.passed(time.monotonic())
            if ending is not None:
                return ending
            if not selector.get_map():
                _wait(process)
                continue
            for key, _ in selector.select(_TICK_S):
                if key.data is None:
                    pending = _write(process, selector, pending)
                elif not _read(key.fd, key.data):
                    selector.unregister(key.fileobj)
                else:
                    deadlines.active = time.monotonic()
    return Ending.EXITED


def _wait(process: subprocess.Popen[bytes]) -> None:
    """All pipes are closed; sleep until the process ends or deadlines must be looked at."""
    try:
        process.wait(_TICK_S)
    except subprocess.TimeoutExpired:
        return


def _write(
    process: subprocess.Popen[bytes], selector: selectors.BaseSelector, pending: memoryview
) -> memoryview:
    assert process.stdin is not None
    try:
        pending = pending[os.write(process.stdin.fileno(), pending[:_CHUNK]) :]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        pending = pending[len(pending) :]
    if not pending:
        selector.unregister(process.stdin)
        process.stdin.close()
    return pending


def _read(descriptor: int, stream: CappedOutput) -> bool:
    try:
        data = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno == errno.EIO:
            return False
        raise
    stream.feed(data)
    return bool(data)


def _drain(process: subprocess.Popen[bytes], streams: tuple[CappedOutput, CappedOutput]) -> None:
    """What stood in the pipes at the end; everyone who could write more is dead."""
    for pipe, stream in zip((process.stdout, process.stderr), streams, strict=True):
        assert pipe is not None
        try:
            while data := os.read(pipe.fileno(), _CHUNK):
                stream.feed(data)
        except BlockingIOError:
            pass
        pipe.close()
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()
