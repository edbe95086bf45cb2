"""Find and end what a command left running, also what has left its process group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["adopt_orphans", "end_command", "end_holders", "running_processes"]

_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")
_PATIENCE_S = 10.0
_PAUSE_S = 0.005


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    session: int
    has_terminal: bool


def adopt_orphans() -> None:
    """Make orphaned descendants ours instead of init's, so that they can be found (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def running_processes() -> frozenset[int]:
    """The ids of all processes now; empty where there is no /proc."""
    return frozenset(_table())


def end_command(
    leader: int, token: str, *, before: Collection[int], others: Collection[str]
) -> None:
    """End all that a command did, whose process group and session *leader* leads.

    That is its group, its descendants, whoever holds *token* in its environment, and orphans that
    became ours: children of ours in another session, none of *before* and no holder of *others*
    (the tokens of commands that other threads run at this moment).

    Raises:
        EnvironmentFailure: something outlives its own SIGKILL.
    """

    def find() -> list[int]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        table = _table()
        roots = {leader, *_orphans(table, before, others), *_holders(table, token)}
        return [pid for pid in table if pid != leader and _is_within(pid, roots, table)]

    _end(find)


def end_holders(token: str, folder: Path | None = None) -> None:
    """End every process but this one that holds *token* in its environment, or that works below
    *folder* without a terminal (which no command of ours has, but a person looking at it).

    Raises:
        EnvironmentFailure: something outlives its own SIGKILL.
    """

    def find() -> list[int]:
        table = _table()
        found = set(_holders(table, token))
        if folder is not None:
            loose = (process for process in table.values() if not process.has_terminal)
            found |= {process.pid for process in loose if _works_in(process.pid, folder)}
        return sorted(found - {os.getpid()})

    _end(find)


def _end(find: Callable[[], list[int]]) -> None:
    """Kill what *find* finds until it finds nothing: a process may fork while it is killed."""
    deadline = time.monotonic() + _PATIENCE_S
    while found := find():
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline:
            raise EnvironmentFailure(f"processes {sorted(found)} cannot be ended")
        time.sleep(_PAUSE_S)


def _table() -> dict[int, _Process]:
    return {process.pid: process for process in _list()}


def _list() -> Iterator[_Process]:
    if not _PROC.is_dir():
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = (entry / "stat").read_bytes()
                # The command name is in parentheses and may hold anything, blanks included.
                fields = stat.rpartition(b")")[2].split()
                yield _Process(int(entry.name), int(fields[1]), int(fields[3]), fields[4] != b"0")


def _orphans(
    table: dict[int, _Process], before: Collection[int], others: Collection[str]
) -> Iterator[int]:
    """Only a process that a command put into a session of its own can have come to us so."""
    own, session = os.getpid(), os.getsid(0)
    for process in table.values():
        is_new = process.parent == own and process.pid not in before
        if is_new and process.session != session and not _holds_any(process.pid, others):
            yield process.pid


def _holders(table: dict[int, _Process], token: str) -> Iterator[int]:
    return (pid for pid in table if pid != os.getpid() and _holds(pid, token))


def _holds(pid: int, token: str) -> bool:
    try:
        return token.encode() in (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False


def _holds_any(pid: int, tokens: Collection[str]) -> bool:
    return any(_holds(pid, token) for token in tokens)


def _works_in(pid: int, folder: Path) -> bool:
    try:
        # A removed folder has ` (deleted)` behind its name.
        return f"{(_PROC / str(pid) / 'cwd').readlink()}/".startswith(f"{folder}/")
    except OSError:
        return False


def _is_within(pid: int, roots: set[int], table: dict[int, _Process]) -> bool:
    """Whether *pid* is one of *roots* or descends from one."""
    seen: set[int] = set()
    while pid in table and pid not in seen:
        if pid in roots:
            return True
        seen.add(pid)
        pid = table[pid].parent
    return False
