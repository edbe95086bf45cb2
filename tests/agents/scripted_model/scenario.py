"""What a scripted model does: one step a turn, and what goes wrong before it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "Bash",
    "Call",
    "Chance",
    "Fault",
    "Malformed",
    "Say",
    "Scenario",
    "Step",
    "Submit",
    "Usage",
    "draw",
]


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer; `input` includes what was read from and written to the cache."""

    input: int = 1000
    output: int = 50
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Fault:
    """An answer that is none: an error status, or a connection that is cut after half of it."""

    status: int = 500
    code: str = "server_error"
    message: str = "scripted fault"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    times: int = 1  # how often before the turn is answered; 0 = for ever


@dataclass(frozen=True)
class Step:
    """`faults` come before it, one a try; `wait_s` passes before the answer begins.

    A streamed answer stops in the middle until `gate` is set.
    """

    faults: tuple[Fault, ...] = field(default=(), kw_only=True)
    wait_s: float = field(default=0.0, kw_only=True)
    usage: Usage | None = field(default=Usage(), kw_only=True)
    finish: str = field(default="stop", kw_only=True)
    gate: threading.Event | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Bash(Step):
    command: str


@dataclass(frozen=True)
class Submit(Step):
    """The scaffold's own way to end: its sentinel command, or a last text."""


@dataclass(frozen=True)
class Say(Step):
    text: str


@dataclass(frozen=True)
class Malformed(Step):
    """A tool call whose arguments are no JSON; without tools, a text without a command."""


@dataclass(frozen=True)
class Call(Step):
    """A call of a tool of any name."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Chance(Step):
    """Runs `command` with the probability that belongs to what the conversation shows.

    `odds` gives it by a text that some observation holds; the first that occurs counts.
    """

    command: str
    otherwise: str
    odds: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Scenario:
    """The last step is repeated for ever. `submission` is the sentinel of scaffolds with one."""

    steps: tuple[Step, ...]
    submission: str = (
        "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
    )

    def step(self, turn: int) -> Step:
        return self.steps[min(turn, len(self.steps) - 1)]


def draw(step: Chance, conversation: str, run: str) -> str:
    """The command of this run: the same run always draws the same."""
    probability = next((p for text, p in step.odds if text in conversation), 0.0)
    digest = hashlib.sha256(run.encode()).digest()
    return (
        step.command if int.from_bytes(digest[:8], "big") < probability * 2**64 else step.otherwise
    )
