"""Take the agent's patch: the final tree against the injected base, whatever it did to git."""

from __future__ import annotations

import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.evaluation import Patch, PatchedFile
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.environments.git import run_git
from pytest_jagged.environments.tree import remove_tree

__all__ = ["take_patch"]

_BASE = "refs/jagged/base"
_CACHE_PARTS = frozenset(
    {
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".cache",
        "node_modules",
    }
)
_CACHE_SUFFIXES = (".pyc", ".pyo")
_TEST_CONFIG = frozenset(
    {"conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"}
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

    New files that the base's own ignore rules hide are left out and listed, caches are left out.
    Runs no hook, filter or configuration of the tree.

    Raises:
        EnvironmentFailure: the tree cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        tree = _fetch_tree(environment, Path(folder) / "tree")
        run_git(["add", "-A", "-f"], git_dir=base, work_tree=tree)
        changes = _changes(base)
        ignored = _ignored(base, [c.path for c in changes if c.is_new], Path(folder) / "rules")
        caches = {c.path for c in changes if _is_cache(c.path)}
        tests = {c.path for c in changes if instance.is_test_file(c.path)} - caches
        hidden = set(ignored) - caches - tests
        _undo(base, [c for c in changes if c.path in caches | tests | hidden])
        files = _files(base)
        return Patch(
            diff=run_git([*_DIFF, "--binary", "--full-index", _BASE], git_dir=base),
            files=files,
            dropped_tests=tuple(sorted(tests)),
            touched_test_config=tuple(f.path for f in files if _is_test_config(f.path)),
            ignored_new=tuple(sorted(hidden)),
        )


def _fetch_tree(environment: Environment, copy: Path) -> Path:
    """The tree, without git folders below its top; one that is gone or became a link is empty.

    In place where the host can read it: the base's index then knows which files are the same.
    """
    tree = environment.host_tree()
    if tree is None:
        tree = copy
        if _is_folder(environment):
            environment.copy_out(environment.workdir, tree)
    if tree.is_symlink() or not tree.is_dir():
        copy.mkdir()
        return copy
    for folder, names, files in os.walk(tree):
        # Git itself passes over `.git` at the top; below it would take a repository for a module.
        if ".git" in names:
            remove_tree(Path(folder) / ".git")
            names.remove(".git")
        if ".git" in files:
            (Path(folder) / ".git").unlink()
    return tree


def _is_folder(environment: Environment) -> bool:
    tree = shlex.quote(environment.workdir)
    script = f"test -d {tree} && test ! -L {tree}"
    return environment.exec(["/bin/sh", "-c", script], timeout=60, cwd="/").ok


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
    rules.mkdir()
    listed = run_git(["ls-tree", "-r", "-z", "--name-only", _BASE], git_dir=base)
    for name in listed.decode("utf-8", "surrogateescape").split("\0"):
        if PurePosixPath(name).name == ".gitignore":
            target = rules / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(run_git(["cat-file", "blob", f"{_BASE}:{name}"], git_dir=base))
    if not paths:
        return []
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


def _is_cache(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path.endswith(_CACHE_SUFFIXES) or any(part in _CACHE_PARTS for part in parts)


def _is_test_config(path: str) -> bool:
    return PurePosixPath(path).name in _TEST_CONFIG
