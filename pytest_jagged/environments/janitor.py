"""Clean up after a process that was killed and could not: end commands, remove folders.

A session that gets SIGKILL (a worker that ran out of memory, a cancelled CI job) runs no `finally`.
So one small process per session process watches it through a pipe. It is told of each environment;
when the pipe closes, it ends and removes those that are still there.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from pytest_jagged.environments.processes import end_holders
from pytest_jagged.environments.tree import remove_tree
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["main", "release", "watch"]

_START = "import sys; sys.path.insert(0, {path!r}); from {module} import main; main()"

_lock = threading.Lock()
_started: dict[int, subprocess.Popen[bytes]] = {}  # by the id of the watched process


def watch(token: str, root: Path) -> None:
    """Have *root* removed, and every holder of *token* ended, should this process be killed."""
    _tell(b"+", token, root)


def release(token: str, root: Path) -> None:
    """*root* is gone in good order."""
    _tell(b"-", token, root)


def _tell(sign: bytes, token: str, root: Path) -> None:
    line = sign + token.encode() + b" " + os.fsencode(root).hex().encode() + b"\n"
    with _lock, contextlib.suppress(OSError):  # without it the rest still works
        stream = _janitor().stdin
        assert stream is not None
        os.write(stream.fileno(), line)


def _janitor() -> subprocess.Popen[bytes]:
    process = _started.get(os.getpid())
    if process is None:
        code = _START.format(path=str(Path(__file__).parents[2]), module=__name__)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        _started[os.getpid()] = process
        atexit.register(_dismiss, os.getpid())
    return process


def _dismiss(pid: int) -> None:
    if pid == os.getpid():  # not in a fork of the watched process
        process = _started.pop(pid)
        with contextlib.suppress(OSError):
            process.communicate()


def main() -> None:
    """Read until the watched process is gone; then clean up what it had not released."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    left: dict[str, Path] = {}
    for line in sys.stdin.buffer:
        token, root = line[1:].decode().split()
        if line[:1] == b"+":
            left[token] = Path(os.fsdecode(bytes.fromhex(root)))
        else:
            left.pop(token, None)
    for token, folder in left.items():
        with contextlib.suppress(EnvironmentFailure):
            end_holders(token, folder)
        remove_tree(folder)
