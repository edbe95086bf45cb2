"""From an entry of `instances:` in the study file to the source that reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_jagged.contracts.environment import ReadImage
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import InstanceEntry
from pytest_jagged.errors import ConfigError, InstanceError

if TYPE_CHECKING:
    from pytest_jagged.instances.swebench import ProRows

__all__ = ["InstanceSource", "list_ids", "load", "refuse_unreachable"]

Progress = Callable[[str], None]


class InstanceSource(Protocol):
    """Reads one entry. `list_ids` serves collection: it reads an index, never a tree."""

    def list_ids(self) -> tuple[str, ...]: ...

    def load(self, instance_id: str, cache: Path, progress: Progress) -> Instance: ...


def _native(entry: InstanceEntry, read_image: ReadImage | None) -> InstanceSource:  # noqa: ARG001
    from pytest_jagged.instances.native import NativeFolder

    assert entry.path is not None
    return NativeFolder(entry.path)


def _swebench(entry: InstanceEntry, read_image: ReadImage | None) -> InstanceSource:
    from pytest_jagged.instances.swebench import SwebenchRows

    assert entry.swebench is not None
    return SwebenchRows(entry.swebench, read_image, entry.image)


def _swebench_pro(entry: InstanceEntry, read_image: ReadImage | None) -> ProRows:
    from pytest_jagged.instances.swebench import ProRows

    pro = entry.swebench_pro
    assert pro is not None
    return ProRows(pro.rows, pro.scripts, read_image, entry.image)


_SOURCES: dict[str, Callable[[InstanceEntry, ReadImage | None], InstanceSource]] = {
    "path": _native,
    "swebench": _swebench,
    "swebench_pro": _swebench_pro,
}
_LATER = ("completions",)


def _source(entry: InstanceEntry, read_image: ReadImage | None = None) -> InstanceSource:
    for key, make in _SOURCES.items():
        if getattr(entry, key) is not None:
            return make(entry, read_image)
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
    path = entry.swebench if entry.path is None else entry.path
    if path is None and entry.swebench_pro is not None:
        path = entry.swebench_pro.rows
    return path or Path()


def refuse_unreachable(entry: InstanceEntry, instance_ids: Sequence[str]) -> None:
    """For a study with variants: a fix outside Python files is out of every transformation's reach.

    Raises:
        ConfigError: there are such among *instance_ids*, and the entry does not ask for them.
    """
    pro = entry.swebench_pro
    if pro is None or pro.include_non_python:
        return
    found = _swebench_pro(entry, None).without_python(instance_ids)
    if found:
        raise ConfigError(
            f"instances: swebench_pro: the fix of {len(found)} of {len(instance_ids)} instances is"
            f" in no Python file, so that no variant can touch it ({', '.join(found[:3])}, …);"
            " narrow ids, or set include_non_python: true to run them and report them apart"
        )


def load(
    entry: InstanceEntry,
    instance_id: str,
    *,
    cache: Path,
    progress: Progress,
    read_image: ReadImage | None = None,
) -> Instance:
    """The instance, fetched and built where that has not been done on this machine yet.

    *read_image* takes trees out of images (`EnvironmentProvider.image_tree`).

    Raises:
        InstanceError: it cannot be used as described; one line that says where and why.
        ConfigError: its tree is in an image, and the environment has none.
        EnvironmentFailure: the cache cannot be written, or the image cannot be had.
    """
    if instance_id not in list_ids(entry):
        raise InstanceError(f"instances: no {instance_id!r} in {_where(entry)}")
    return _source(entry, read_image).load(instance_id, cache, progress)
