"""Find and end what a command left running, also what has left its process group."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["adopt_orphans", "descendants", "end_processes"]

_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")
_ROUNDS = 50


def adopt_orphans() -> None:
    """Make orphaned descendants ours instead of init's, so that they can be found (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_processes(group: int, token: str, spare: frozenset[int]) -> None:
    """Kill process group *group*, our descendants not in *spare*, and holders of *token*.

    The token is a variable of the environment the command was given. Repeats until none is left,
    since a process may fork while it is being killed.
    """
    for _ in range(_ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        found = [pid for pid in _suspects(token) if pid not in spare]
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _reap(found)
        if not found:
            return
        time.sleep(0.01)


def descendants() -> frozenset[int]:
    """All processes below this one, now."""
    parents = dict(_parents())
    return frozenset(pid for pid in parents if _below(pid, os.getpid(), parents))


def _suspects(token: str) -> list[int]:
    if not _PROC.is_dir():
        return []
    parents = dict(_parents())
    own = os.getpid()
    return [
        pid
        for pid in sorted(parents)
        if pid != own and (_below(pid, own, parents) or _holds(pid, token))
    ]


def _below(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    seen = set()
    while pid in parents and pid not in seen:
        seen.add(pid)
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False


def _parents() -> Iterator[tuple[int, int]]:
    if not _PROC.is_dir():
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = (entry / "stat").read_bytes()
                # The command name is in parentheses and may hold anything, blanks included.
                yield int(entry.name), int(stat.rpartition(b")")[2].split()[1])


def _holds(pid: int, token: str) -> bool:
    try:
        return token.encode() in (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False


def _reap(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ChildProcessError, OSError):
            os.waitpid(pid, os.WNOHANG)
