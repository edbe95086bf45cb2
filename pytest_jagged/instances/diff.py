"""A unified diff between two sets of files, as `git apply` takes it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pytest_jagged.errors import EnvironmentFailure
from pytest_jagged.unified_diff import read_diff

__all__ = ["diff_files", "patched_files"]


def diff_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """`git diff` with three context lines and `a/`, `b/` prefixes; files in order of the path.

    Raises:
        EnvironmentFailure: git is missing or fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for side, files in (("a", before), ("b", after)):
            (root / side).mkdir()
            for name, content in files.items():
                path = root / side / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return _git_diff(root).decode("utf-8", "surrogateescape")


def _git_diff(root: Path) -> bytes:
    # The folders themselves give the prefixes, so that paths stay as in the tree.
    options = ["--no-index", "--no-prefix", "--no-renames", "--no-color", "--no-ext-diff"]
    options += ["--no-textconv", "--binary", "--full-index", "--unified=3"]
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(root),
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(root.parent),
    }
    command = ["git", "-c", "core.quotePath=false", "diff", *options, "a", "b"]
    try:
        done = subprocess.run(command, cwd=root, env=variables, capture_output=True, check=False)
    except OSError as error:
        raise EnvironmentFailure(f"git: {error.strerror}; install git") from error
    if done.returncode not in (0, 1):  # 1: there is a difference
        raise EnvironmentFailure(f"git diff: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout


def patched_files(patch: str) -> tuple[str, ...]:
    """The files a patch changes, makes or removes, in the patch's order."""
    names = [name for file in read_diff(patch) for name in (file.old, file.new) if name is not None]
    return tuple(dict.fromkeys(names))
