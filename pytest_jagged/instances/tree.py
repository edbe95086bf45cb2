"""Seed trees: without history and leftovers, and named by a digest of what is in them."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.cache import build_once, cache_lock

__all__ = ["TreeFile", "clean_files", "file_edits", "files_digest", "store_seed"]

TreeFile = tuple[str, Path]  # POSIX path relative to the tree, and where it lies

# History, caches, environments and what an editable install leaves in a tree.
_LEFTOVERS = frozenset(
    {
        *(".git", ".hg", ".svn", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *(".hypothesis", ".tox", ".nox", ".venv", ".DS_Store"),
    }
)
_LEFTOVER_SUFFIXES = (".pyc", ".pyo", ".egg-link")


def clean_files(root: Path, *, keep_metadata: bool = False) -> tuple[TreeFile, ...]:
    """Files and links of a tree without its leftovers, in order of the path.

    *keep_metadata* keeps `*.egg-info`, which is part of an sdist but a leftover elsewhere.

    Raises:
        InstanceError: a link that leaves the tree, or something that is no file, folder or link.
    """
    found = sorted((path.relative_to(root).as_posix(), path) for path in _walk(root, keep_metadata))
    for name, path in found:
        _check(name, path)
    return tuple(found)


def _walk(folder: Path, keep_metadata: bool) -> Iterator[Path]:
    for path in folder.iterdir():
        name = path.name
        if name in _LEFTOVERS or name.endswith(_LEFTOVER_SUFFIXES):
            continue
        if name.endswith(".egg-info") and not keep_metadata:
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, keep_metadata)
        else:
            yield path


def _check(name: str, path: Path) -> None:
    if path.is_symlink():
        target = path.readlink()
        inside = PurePosixPath(os.path.normpath(PurePosixPath(name).parent / target))
        if target.is_absolute() or inside.parts[:1] == ("..",):
            raise InstanceError(f"{path}: link to {target} leaves the tree; remove it")
    elif not path.is_file():
        raise InstanceError(f"{path}: is no file, folder or link; remove it from the tree")


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def files_digest(files: Iterable[TreeFile]) -> str:
    """Hex SHA-256 over paths, executable bits, bytes and targets of links."""
    digest = hashlib.sha256()
    for name, path in files:
        if path.is_symlink():
            kind, content = b"link", os.fsencode(path.readlink())
        else:
            kind = b"program" if _is_executable(path) else b"file"
            content = path.read_bytes()
        for part in (os.fsencode(name), kind, content):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def file_edits(files: Iterable[TreeFile]) -> tuple[FileEdit, ...]:
    """The files as graded tests to be laid over a tree.

    Raises:
        InstanceError: one of them is a link.
    """
    edits = []
    for name, path in files:
        if path.is_symlink():
            raise InstanceError(f"{path}: a graded test cannot be a link; put the file there")
        edits.append(FileEdit(name, path.read_bytes(), _is_executable(path)))
    return tuple(edits)


def store_seed(root: Path, cache: Path, *, keep_metadata: bool = False) -> tuple[Path, str]:
    """A clean copy of *root* in the cache, with modes 644 and 755, and the digest that names it.

    A copy whose content no longer fits its name (somebody wrote into the cache) is made anew.
    """
    files = clean_files(root, keep_metadata=keep_metadata)
    digest = files_digest(files)
    place = cache / "seeds" / digest
    if place.is_dir() and files_digest(clean_files(place, keep_metadata=True)) != digest:
        with cache_lock(place):
            shutil.rmtree(place, ignore_errors=True)
    return build_once(place, lambda new: _copy(files, new)), digest


def _copy(files: Iterable[TreeFile], destination: Path) -> None:
    destination.mkdir()
    for name, path in files:
        target = destination / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(path.readlink())
        else:
            shutil.copyfile(path, target)
            target.chmod(0o755 if _is_executable(path) else 0o644)
