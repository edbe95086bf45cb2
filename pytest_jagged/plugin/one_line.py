"""A failure that is a message: shown whole in its section and beside its id in the summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["OneLine"]


class _Writer(Protocol):
    def line(self, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Crash:
    """What the short summary reads; pytest before 9 shows no message for a plain string."""

    message: str
    path: str = ""
    lineno: int = 0


class OneLine:
    def __init__(self, message: str) -> None:
        self.message = message
        self.reprcrash = _Crash(message.splitlines()[0] if message else "")

    def toterminal(self, writer: _Writer) -> None:
        writer.line(self.message)

    def __str__(self) -> str:
        return self.message
