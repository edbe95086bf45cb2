"""From an entry of `instances:` in the study file to the source that reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import InstanceEntry
from pytest_jagged.errors import ConfigError, InstanceError

__all__ = ["InstanceSource", "list_ids", "load"]

Progress = Callable[[str], None]


class InstanceSource(Protocol):
    """Reads one entry. `list_ids` serves collection: it reads an index, never a tree."""

    def list_ids(self) -> tuple[str, ...]: ...

    def load(self, instance_id: str, cache: Path, progress: Progress) -> Instance: ...


def _native(entry: InstanceEntry) -> InstanceSource:
    from pytest_jagged.instances.native import NativeFolder

    assert entry.path is not None
    return NativeFolder(entry.path)


_SOURCES: dict[str, Callable[[InstanceEntry], InstanceSource]] = {"path": _native}
_LATER = ("swebench", "swebench_pro", "completions")


def _source(entry: InstanceEntry) -> InstanceSource:
    for key, make in _SOURCES.items():
        if getattr(entry, key) is not None:
            return make(entry)
    for key in _LATER:
        if getattr(entry, key) is not None:
            raise ConfigError(
                f"instances: {key}: not supported yet in this version; use {{path: FOLDER}}"
            )
    raise ConfigError(f"instances: an entry needs one of {', '.join((*_SOURCES, *_LATER))}")


def list_ids(entry: InstanceEntry) -> tuple[str, ...]:
    """The ids of *entry* in order, narrowed to its `ids` and `ids_file` where given.

    Raises:
        ConfigError: a kind of entry, an id or a file that is not there.
    """
    found = _source(entry).list_ids()
    wanted = _wanted(entry)
    if wanted is None:
        return found
    unknown = [name for name in wanted if name not in found]
    if unknown:
        raise ConfigError(f"instances: ids: no {unknown[0]!r} in {_where(entry)}")
    return tuple(name for name in found if name in wanted)


def _wanted(entry: InstanceEntry) -> tuple[str, ...] | None:
    if entry.ids is None and entry.ids_file is None:
        return None
    wanted = list(entry.ids or ())
    if entry.ids_file is not None:
        try:
            lines = entry.ids_file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"instances: ids_file: {entry.ids_file}: {error}") from None
        wanted += [line.strip() for line in lines if line.strip() and line[0] != "#"]
    return tuple(wanted)


def _where(entry: InstanceEntry) -> Path:
    for key in _SOURCES:
        path = getattr(entry, key)
        if path is not None:
            return Path(path)
    return Path()


def load(entry: InstanceEntry, instance_id: str, *, cache: Path, progress: Progress) -> Instance:
    """The instance, fetched and built where that has not been done on this machine yet.

    Raises:
        InstanceError: it cannot be used as described; one line that says where and why.
        EnvironmentFailure: the cache cannot be written.
    """
    if instance_id not in list_ids(entry):
        raise InstanceError(f"instances: no {instance_id!r} in {_where(entry)}")
    return _source(entry).load(instance_id, cache, progress)
