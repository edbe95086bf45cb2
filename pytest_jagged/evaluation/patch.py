"""Take the agent's patch: the final tree against the injected base, whatever it did to git."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.evaluation import Patch, PatchedFile
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.environments.git import run_git
from pytest_jagged.errors import EnvironmentFailure
from pytest_jagged.evaluation.final_tree import fetch_final_tree

__all__ = ["take_patch"]

_BASE = "refs/jagged/base"
_CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})
_NEW_CACHES = frozenset({".tox", ".nox", ".cache", "node_modules"})  # a base may track such
_CACHE_SUFFIXES = (".pyc", ".pyo")
_LARGEST_SOURCE = 32 << 20  # bytes; a new file above it is a dump or a data set
_TEST_CONFIG = frozenset(
    {
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "sitecustomize.py",
        "usercustomize.py",
    }
)
_DIFF = ("diff", "--cached", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
_NOTHING = "0" * 40


@dataclass(frozen=True, slots=True)
class _Change:
    path: str
    old_mode: str
    old_object: str
    is_new: bool


def take_patch(environment: Environment, base: Path, instance: Instance) -> Patch:
    """The difference of the tree now against *base* (from `capture_base`), without test files.

    Caches and virtual environments are left out. New files that the base's own ignore rules hide,
    and those too large to be source, are left out and listed. Runs no hook, filter or configuration
    of the tree.

    Raises:
        EnvironmentFailure: the tree cannot be read.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            tree = fetch_final_tree(environment, Path(folder) / "tree")
            return _compare(tree, base, instance, Path(folder) / "rules")
    except OSError as error:
        raise EnvironmentFailure(f"cannot take the patch: {error}") from error


def _compare(tree: Path, base: Path, instance: Instance, rules: Path) -> Patch:
    _distrust_times(base)
    run_git(["add", "-A", "-f"], git_dir=base, work_tree=tree)
    changes = _changes(base)
    caches = _caches(changes)
    tests = {c.path for c in changes if instance.is_test_file(c.path)} - caches
    new = [c.path for c in changes if c.is_new and c.path not in caches | tests]
    hidden = {*_ignored(base, new, rules), *(path for path in new if _is_large(tree / path))}
    _undo(base, [c for c in changes if c.path in caches | tests | hidden])
    files = _files(base)
    config = {path for path in (*tests, *(f.path for f in files)) if _is_test_config(path)}
    return Patch(
        diff=run_git([*_DIFF, "--binary", "--full-index", _BASE], git_dir=base),
        files=files,
        dropped_tests=tuple(sorted(tests)),
        touched_test_config=tuple(sorted(config)),
        ignored_new=tuple(sorted(hidden)),
    )


def _distrust_times(base: Path) -> None:
    """Have git compare bytes: a file written within a second of the injection, with its old size
    and time put back, would else look untouched. Entries not older than their index are suspect.
    """
    index = base / "index"
    if index.exists():
        os.utime(index, (1, 1))


def _caches(changes: list[_Change]) -> set[str]:
    """Changed paths that tools made for themselves, virtual environments among them."""
    marks = (PurePosixPath(c.path) for c in changes if c.is_new)
    environments = {mark.parent for mark in marks if mark.name == "pyvenv.cfg"} - {PurePosixPath()}
    found = set()
    for change in changes:
        path = PurePosixPath(change.path)
        names = _CACHES | _NEW_CACHES if change.is_new else _CACHES
        is_cache = path.suffix in _CACHE_SUFFIXES or not names.isdisjoint(path.parts)
        if is_cache or not environments.isdisjoint(path.parents):
            found.add(change.path)
    return found


def _is_large(path: Path) -> bool:
    return path.lstat().st_size > _LARGEST_SOURCE


def _changes(base: Path) -> list[_Change]:
    raw = run_git(["diff-index", "--cached", "--raw", "-z", "--no-renames", _BASE], git_dir=base)
    fields = raw.decode("utf-8", "surrogateescape").split("\0")
    changes = []
    for entry, path in zip(fields[0::2], fields[1::2], strict=False):
        old_mode, _, old_object, _, status = entry.lstrip(":").split(" ")
        changes.append(_Change(path, old_mode, old_object, is_new=status == "A"))
    return changes


def _ignored(base: Path, paths: list[str], rules: Path) -> list[str]:
    """Which of *paths* the base's .gitignore files hide, whatever the agent did to those."""
    if not paths:
        return []
    rules.mkdir()
    folders = {parent for path in paths for parent in PurePosixPath(path).parents}
    listed = run_git(["ls-tree", "-r", "-z", "--name-only", _BASE], git_dir=base)
    for name in listed.decode("utf-8", "surrogateescape").split("\0"):
        if PurePosixPath(name).name == ".gitignore" and PurePosixPath(name).parent in folders:
            target = rules / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(run_git(["cat-file", "blob", f"{_BASE}:{name}"], git_dir=base))
    stdin = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    found = run_git(
        ["check-ignore", "--no-index", "-z", "--stdin"],
        git_dir=base,
        work_tree=rules,
        stdin=stdin,
        accept=(0, 1),
    )
    return [name for name in found.decode("utf-8", "surrogateescape").split("\0") if name]


def _undo(base: Path, changes: list[_Change]) -> None:
    """Set the index entries of *changes* back to the base."""
    lines = []
    for change in changes:
        old = _NOTHING if change.is_new else change.old_object
        mode = "0" if change.is_new else change.old_mode
        lines.append(f"{mode} {old}\t{change.path}\0".encode("utf-8", "surrogateescape"))
    if lines:
        run_git(["update-index", "-z", "--index-info"], git_dir=base, stdin=b"".join(lines))


def _files(base: Path) -> tuple[PatchedFile, ...]:
    raw = run_git([*_DIFF, "--numstat", "-z", _BASE], git_dir=base)
    files = []
    for entry in raw.decode("utf-8", "surrogateescape").split("\0"):
        if entry:
            added, removed, path = entry.split("\t", 2)
            binary = added == "-"
            counts = (0, 0) if binary else (int(added), int(removed))
            files.append(PatchedFile(path, *counts, binary=binary))
    return tuple(files)


def _is_test_config(path: str) -> bool:
    return PurePosixPath(path).name in _TEST_CONFIG
