"""Output of a command in a container: frames on a socket that may stay open after its end."""

from __future__ import annotations

import selectors
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_jagged.contracts.environment import Ending
from pytest_jagged.environments.capped_output import CappedOutput

__all__ = ["Frames", "attend"]

_CHUNK = 1 << 16
_TICK_S = 0.25
_STDERR = 2
_HEADER = struct.Struct(">BxxxL")  # stream, length: Docker Engine API, "Attach to a container"


@dataclass(slots=True)
class Frames:
    """Both streams of a command, told apart."""

    stdout: CappedOutput = field(default_factory=CappedOutput)
    stderr: CappedOutput = field(default_factory=CappedOutput)
    _pending: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        self._pending += data
        while len(self._pending) >= _HEADER.size:
            stream, length = _HEADER.unpack_from(self._pending)
            end = _HEADER.size + length
            if len(self._pending) < end:
                return
            target = self.stderr if stream == _STDERR else self.stdout
            target.feed(bytes(self._pending[_HEADER.size : end]))
            del self._pending[:end]


def attend(
    connection: Any,
    frames: Frames,
    is_running: Callable[[], bool],
    *,
    timeout: float,
    idle_timeout: float | None,
) -> Ending:
    """Read until the command has ended; its children may hold the streams longer.

    Raises:
        OSError: the connection broke.
    """
    start = active = time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now >= start + timeout:
                return Ending.TIMED_OUT
            if idle_timeout is not None and now - active >= idle_timeout:
                return Ending.IDLE
            if selector.get_map() and selector.select(min(_TICK_S, start + timeout - now)):
                data = connection.recv(_CHUNK)
                frames.feed(data)
                active = time.monotonic()
                if not data:
                    selector.unregister(connection)
                continue
            if not is_running():
                _drain(selector, connection, frames)
                return Ending.EXITED
            if not selector.get_map():
                time.sleep(0.02)


def _drain(selector: selectors.BaseSelector, connection: Any, frames: Frames) -> None:
    """What came between the last look and the end."""
    while selector.get_map() and selector.select(0):
        data = connection.recv(_CHUNK)
        if not data:
            return
        frames.feed(data)
