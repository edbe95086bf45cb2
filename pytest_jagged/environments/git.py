"""Git on the host, deaf to everyone's configuration, hooks and attributes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["NEUTRAL_ATTRIBUTES", "isolated_environment", "run_git"]

# Highest precedence of all attribute files: no conversion of any byte, whatever the tree says.
NEUTRAL_ATTRIBUTES = b"* -text -eol -filter -ident !working-tree-encoding !diff !merge\n"

_GIT_TIMEOUT_S = 600
# A tree may hold names that other systems reserve (`git~1`); loose objects live for one run only.
_SETTINGS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.protectNTFS=false"),
    *("-c", "core.protectHFS=false"),
    *("-c", "core.looseCompression=0"),
    *("-c", "gc.auto=0"),
)


def isolated_environment(home: Path) -> Mapping[str, str]:
    """Variables under which git reads no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def run_git(
    arguments: Sequence[str],
    *,
    git_dir: Path,
    work_tree: Path | None = None,
    stdin: bytes = b"",
    accept: Sequence[int] = (0,),
) -> bytes:
    """Standard output of git on *git_dir*.

    Raises:
        EnvironmentFailure: git is missing, hangs or exits with a code that is not accepted.
    """
    command = ["git", f"--git-dir={git_dir}"]
    if work_tree is not None:
        command.append(f"--work-tree={work_tree}")
    command += [*_SETTINGS, *arguments]
    try:
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            cwd=work_tree or git_dir,
            env=isolated_environment(git_dir),
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailure(f"git {arguments[0]}: {error}") from error
    if done.returncode not in accept:
        message = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        raise EnvironmentFailure(f"git {arguments[0]}: exit {done.returncode}: {message[:500]}")
    return done.stdout
