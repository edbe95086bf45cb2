"""What is fetched or built once per machine: seed trees, sdists, interpreter environments."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["build_once", "cache_lock", "cache_root"]


def cache_root() -> Path:
    """`$JAGGED_CACHE`, or `pytest-jagged` in the user's cache folder (XDG)."""
    own = os.environ.get("JAGGED_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    user = os.environ.get("XDG_CACHE_HOME")
    return (Path(user) if user else Path.home() / ".cache") / "pytest-jagged"


@contextmanager
def cache_lock(target: Path) -> Iterator[None]:
    """Hold the lock of *target*, so that one process makes it while the others wait.

    Raises:
        EnvironmentFailure: the cache cannot be written, or the disk is full.
    """
    from filelock import FileLock

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(target.parent / f".{target.name}.lock"):
            yield
    except OSError as error:
        raise EnvironmentFailure(
            f"cache {target}: {error.strerror or error}; free space there or set JAGGED_CACHE"
        ) from error


def build_once(target: Path, make: Callable[[Path], None]) -> Path:
    """*target*, made by `make(new)` if it is not there yet; it appears whole or not at all.

    *new* does not exist; *make* creates it as a file or a folder.
    """
    if target.exists():
        return target
    with cache_lock(target):
        if not target.exists():
            workshop = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
            try:
                make(workshop / target.name)
                (workshop / target.name).replace(target)
            finally:
                shutil.rmtree(workshop, ignore_errors=True)
    return target
