"""The tree of one commit, without its history."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from pytest_jagged.errors import InstanceError

__all__ = ["archive_commit"]

_TIMEOUT_S = 600
# The tree as committed: nothing left out (export-ignore), no byte converted.
_NEUTRAL_ATTRIBUTES = b"* -export-ignore -export-subst -text -eol -filter -ident\n"


def archive_commit(repository: Path, commit: str, destination: Path) -> Path:
    """Write the tree of *commit* below *destination* (new); *repository* is a clone or a bundle.

    Raises:
        InstanceError: no such repository, no such commit in it, or git is missing.
    """
    if not repository.exists():
        raise InstanceError(f"source.path: {repository}: no such repository or bundle")
    with tempfile.TemporaryDirectory() as folder:
        clone, archive = Path(folder) / "clone.git", Path(folder) / "tree.tar"
        shared = [] if repository.is_file() else ["--shared"]
        _git(["clone", "--quiet", "--bare", *shared, str(repository), str(clone)])
        (clone / "info").mkdir(exist_ok=True)
        (clone / "info" / "attributes").write_bytes(_NEUTRAL_ATTRIBUTES)
        where = [f"--git-dir={clone}"]
        try:
            _git([*where, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"])
        except InstanceError:
            raise InstanceError(f"source.commit: no commit {commit} in {repository}") from None
        _git([*where, "archive", "--format=tar", f"--output={archive}", commit])
        _extract(archive, destination)
    return destination


def _git(arguments: list[str]) -> None:
    variables = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    variables.pop("GIT_DIR", None)
    try:
        done = subprocess.run(
            ["git", *arguments],
            capture_output=True,
            env=variables,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstanceError(f"source: git: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else "no such commit"
        raise InstanceError(f"source: git {arguments[0]}: {reason}")


def _extract(archive: Path, destination: Path) -> None:
    """Git refuses to archive names that leave the tree; links are checked with the tree."""
    destination.mkdir()
    done = subprocess.run(
        ["tar", "-xf", archive, "-C", destination], capture_output=True, check=False
    )
    if done.returncode != 0:
        raise InstanceError(f"source: tar: {done.stderr.decode('utf-8', 'replace').strip()}")
