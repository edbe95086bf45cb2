"""`instance.lock.json`: what `jagged check` found, committed beside `instance.yaml`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.identity import content_digest

__all__ = ["LOCK_FILE", "InstanceLock", "read_lock", "renew_lock", "write_lock"]

LOCK_FILE = "instance.lock.json"
_SCHEMA = 1
_HINT = "remove it and run jagged check"


@dataclass(frozen=True, slots=True)
class InstanceLock:
    """`content` is the digest of what was checked: another one makes the lock stale.

    `pythons` are the versions (`3.11`) on which the instance was proven; `pass_to_pass` holds on
    all of them.
    """

    content: str
    pythons: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    flaky: tuple[str, ...] = ()


def read_lock(folder: Path) -> InstanceLock | None:
    """None where there is no lock.

    Raises:
        InstanceError: the file is not one that `jagged check` writes.
    """
    path = folder / LOCK_FILE
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InstanceError(f"{path}: cannot be read: {error}; {_HINT}") from None
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        raise InstanceError(f"{path}: this version reads schema {_SCHEMA} only; {_HINT}")
    try:
        lists = [tuple(map(str, value[key])) for key in ("pythons", "pass_to_pass", "flaky")]
        return InstanceLock(str(value["content"]), *lists)
    except (KeyError, TypeError):
        raise InstanceError(f"{path}: not a lock file; {_HINT}") from None


def renew_lock(
    instance: Instance, folder: Path, tests: Sequence[str], flaky: Sequence[str]
) -> InstanceLock:
    """Write what was found on the instance's Python version, beside what holds on others.

    The list keeps the tests that pass on every version that checked this very content.
    """
    version = "{}.{}".format(*instance.python_version)
    content = content_digest(instance)
    old = read_lock(folder)
    others: tuple[str, ...] = ()
    if old is not None and old.content == content:
        others = tuple(python for python in old.pythons if python != version)
        if others:
            tests = [name for name in old.pass_to_pass if name in set(tests)]
            flaky = sorted({*old.flaky, *flaky})
    pythons = sorted({*others, version}, key=lambda python: int(python.partition(".")[2]))
    lock = InstanceLock(content, tuple(pythons), tuple(tests), tuple(flaky))
    write_lock(folder, lock)
    return lock


def write_lock(folder: Path, lock: InstanceLock) -> Path:
    """Write atomically; raises InstanceError where the folder cannot be written."""
    path = folder / LOCK_FILE
    value = {
        "schema": _SCHEMA,
        "content": lock.content,
        "pythons": list(lock.pythons),
        "flaky": list(lock.flaky),
        "pass_to_pass": list(lock.pass_to_pass),
    }
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".lock-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise InstanceError(f"{path}: cannot be written: {error.strerror}") from error
    return path
