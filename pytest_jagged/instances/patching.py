"""What a patch makes of some files of a tree, without touching the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.errors import EnvironmentFailure, InstanceError
from pytest_jagged.instances.diff import patched_files

__all__ = ["patch_edits"]

_NEUTRAL = {
    "GIT_DIR": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}


def patch_edits(tree: Path, patch: str, *, reverse: bool = False) -> tuple[FileEdit, ...]:
    """The files that differ once *patch* (a git diff, binary parts included) is applied to *tree*,
    in order of the path.

    Raises:
        InstanceError: it does not apply; the message is git's.
        EnvironmentFailure: git is missing.
    """
    data = _ended(patch).encode("utf-8", "surrogateescape")
    if not data.strip():
        return ()
    names = {*patched_files(_ended(patch)), *_names(data)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in names:
            _copy(tree / name, root / name)
        _git(root, data, "--binary", "--whitespace=nowarn", *(["--reverse"] if reverse else []))
        edits = (_edit(tree, root, name) for name in sorted(names))
        return tuple(edit for edit in edits if edit is not None)


def _ended(patch: str) -> str:
    """git wants a line end at the end, which some data sets have cut off."""
    return patch if patch.endswith("\n") or not patch else patch + "\n"


def _names(data: bytes) -> list[str]:
    """Every file the patch names, those of binary parts too."""
    with tempfile.TemporaryDirectory() as folder:
        listed = _git(Path(folder), data, "--numstat", "-z")
    entries = listed.decode("utf-8", "surrogateescape").split("\0")
    return [entry.split("\t", 2)[2] for entry in entries if entry.count("\t") >= 2]


def _git(root: Path, data: bytes, *options: str) -> bytes:
    command = ["git", "apply", *options, "-"]
    variables = {"PATH": os.environ.get("PATH", os.defpath), **_NEUTRAL}
    try:
        done = subprocess.run(
            command, input=data, cwd=root, env=variables, capture_output=True, check=False
        )
    except OSError as error:
        raise EnvironmentFailure(f"git: {error.strerror}; install git") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise InstanceError(lines[0])
    return done.stdout


def _copy(source: Path, target: Path) -> None:
    if source.is_file() and not source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def _edit(tree: Path, root: Path, name: str) -> FileEdit | None:
    before, after = tree / name, root / name
    if after.is_symlink():
        raise InstanceError(f"{name}: the patch makes a link, which cannot be laid over a tree")
    if not after.is_file():
        return FileEdit(name, None) if before.is_file() else None
    content, executable = after.read_bytes(), os.access(after, os.X_OK)
    same = before.is_file() and before.read_bytes() == content
    if same and os.access(before, os.X_OK) == executable:
        return None
    return FileEdit(name, content, executable)
