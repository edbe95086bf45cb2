"""One session at a time on a store."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_jagged.errors import StoreBusy, StoreError

__all__ = ["session_lock"]


@contextmanager
def session_lock(root: Path) -> Iterator[None]:
    """Hold `<root>/.lock` for the session.

    The lock is the kernel's (flock), so a killed holder frees it; the file's text only tells who
    holds it.

    Raises:
        StoreBusy: another live session holds the store; names its process and host.
    """
    path = root / ".lock"
    try:
        root.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{root}: cannot be written: {error.strerror}; check the folder") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(_self()).encode(), 0)
        except BlockingIOError:
            raise StoreBusy(f"{root}: in use by {_holder(path)}; wait for it or end it") from None
        except OSError as error:  # no locks on this file system, or a full disk
            raise StoreError(f"{path}: cannot be locked: {error.strerror}") from None
        try:
            yield
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _self() -> dict[str, str | int]:
    return {"pid": os.getpid(), "host": socket.gethostname()}


def _holder(path: Path) -> str:
    try:
        value = json.loads(path.read_text("utf-8"))
        return f"process {value['pid']} on {value['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another session"
