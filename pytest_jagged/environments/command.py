"""Run one command on the host with deadlines, an output cap and nothing left behind."""

from __future__ import annotations

import errno
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pytest_jagged.contracts.environment import Ending, ExecResult
from pytest_jagged.environments.processes import adopt_orphans, descendants, end_processes
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["run_command"]

_HALF_CAP = 4 << 20  # bytes kept of the beginning, and of the end, of each stream
_CHUNK = 1 << 16
_TICK_S = 0.25
# A shell that stays the command's parent, so that a command which kills its parent kills that. What
# it starts first waits for the end of a pipe that only this process can write to: when this process
# is killed, nobody else could end the command.
_GUARDIAN = (
    "/bin/sh",
    "-c",
    '(read -r _ <"/dev/fd/$0"; kill -9 0) </dev/null >/dev/null 2>&1 &\n"$@"\nexit $?',
)


@dataclass(slots=True)
class _Stream:
    """The first and the last bytes of a stream; what lies between is counted, not kept."""

    head: bytearray = field(default_factory=bytearray)
    tail: deque[bytes] = field(default_factory=deque)
    tail_size: int = 0
    dropped: int = 0

    def feed(self, data: bytes) -> None:
        room = _HALF_CAP - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if not data:
            return
        self.tail.append(data)
        self.tail_size += len(data)
        while self.tail_size - len(self.tail[0]) >= _HALF_CAP:
            gone = self.tail.popleft()
            self.tail_size -= len(gone)
            self.dropped += len(gone)

    def value(self) -> bytes:
        note = b"\n[... %d bytes left out ...]\n" % self.dropped if self.dropped else b""
        return bytes(self.head) + note + b"".join(self.tail)


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

    Raises:
        EnvironmentFailure: the command could not be started (no folder, no memory, disk full).
    """
    adopt_orphans()
    spare = descendants()
    start = time.monotonic()
    with _lifeline() as lifeline:
        process = _start(command, cwd, env, stdin, lifeline)
        streams = (_Stream(), _Stream())
        deadlines = _Deadlines(start + timeout, idle_timeout, start)
        try:
            ending = _attend(process, streams, deadlines, stdin or b"")
        finally:
            end_processes(process.pid, token, spare)
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


@contextmanager
def _lifeline() -> Iterator[int]:
    """The end of a pipe that ends with this process, however that ends."""
    try:
        theirs, ours = os.pipe()
    except OSError as error:
        raise EnvironmentFailure(f"cannot start a command: {error.strerror}") from error
    try:
        yield theirs
    finally:
        os.close(ours)
        os.close(theirs)


def _start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | None,
    lifeline: int,
) -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(
            [*_GUARDIAN, str(lifeline), *command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(lifeline,),
            start_new_session=True,
        )
    except OSError as error:
        raise EnvironmentFailure(f"cannot start a command in {cwd}: {error.strerror}") from error
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
    return process


def _attend(
    process: subprocess.Popen[bytes],
    streams: tuple[_Stream, _Stream],
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


def _read(descriptor: int, stream: _Stream) -> bool:
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


def _drain(process: subprocess.Popen[bytes], streams: tuple[_Stream, _Stream]) -> None:
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
