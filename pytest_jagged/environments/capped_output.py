"""Output of a command that may never stop talking."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

__all__ = ["CappedOutput"]

_HALF_CAP = 4 << 20  # bytes kept of the beginning, and of the end


@dataclass(slots=True)
class CappedOutput:
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
