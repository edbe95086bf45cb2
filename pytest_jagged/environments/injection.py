"""Put a variant (or nothing) into an environment, the same way in every condition (design 4.2)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.environments.git import NEUTRAL_ATTRIBUTES, run_git
from pytest_jagged.environments.tree import remove_tree
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["capture_base", "inject"]

_TIMEOUT_S = 600
_NEUTRAL_TIME = "200001010000.00"

# One pass over the whole tree, so that no file's times or modes tell which ones were rewritten;
# then one root commit by nobody at no time.
_SCRIPT = f"""
set -e
export TZ=UTC LC_ALL=C
find . -mindepth 1 -iname .git -prune -exec rm -rf {{}} +
find . -name __pycache__ -prune -exec rm -rf {{}} +
find . -name '*.py[co]' -type f -exec rm -f {{}} +
find . -type d -exec chmod 755 {{}} +
find . -type f -perm -100 -exec chmod 755 {{}} +
find . -type f ! -perm -100 -exec chmod 644 {{}} +
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1
export GIT_AUTHOR_NAME=Developer GIT_AUTHOR_EMAIL=developer@example.com
export GIT_COMMITTER_NAME=Developer GIT_COMMITTER_EMAIL=developer@example.com
export GIT_AUTHOR_DATE='2000-01-01T00:00:00 +0000' GIT_COMMITTER_DATE='2000-01-01T00:00:00 +0000'
git init -q --template= .
git symbolic-ref HEAD refs/heads/main
mkdir -p .git/info
printf '%s' {shlex.quote(NEUTRAL_ATTRIBUTES.decode())} > .git/info/attributes
git -c core.autocrlf=false -c core.fileMode=true add -A
git -c core.logAllRefUpdates=false -c commit.gpgSign=false -c gc.auto=0 \
    commit -q --allow-empty --no-verify -m 'Initial commit'
rm -rf .git/logs .git/hooks .git/COMMIT_EDITMSG
find . -exec touch -h -t {_NEUTRAL_TIME} {{}} +
"""


def inject(environment: Environment, edits: Sequence[FileEdit]) -> None:
    """Write *edits* and make the tree one neutral root commit; baseline passes no edits.

    Raises:
        EnvironmentFailure: a step failed; nothing can be said about a run on such a tree.
    """
    environment.write(edits)
    done = environment.exec(["/bin/sh", "-c", _SCRIPT], timeout=_TIMEOUT_S)
    if not done.ok:
        message = done.stderr.decode("utf-8", "replace").strip()[-300:].replace("\n", "; ")
        raise EnvironmentFailure(f"injection failed ({done.ending.value}): {message}")


def capture_base(environment: Environment, destination: Path) -> Path:
    """A private repository (its git folder) whose one commit is the whole injected tree.

    Unlike the history the agent sees it also tracks what the tree's own ignore rules hide, so that
    an edit of such a file is part of the patch.
    """
    git_dir = destination / "git"
    git_dir.mkdir(parents=True)
    tree = environment.host_tree()
    if tree is None:
        tree = destination / "tree"
        environment.copy_out(environment.workdir, tree)
        remove_tree(tree / ".git")
    run_git(["init", "-q", "--template="], git_dir=git_dir)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_bytes(NEUTRAL_ATTRIBUTES)
    run_git(["config", "core.bare", "false"], git_dir=git_dir)
    run_git(["add", "-A", "-f"], git_dir=git_dir, work_tree=tree)
    written = run_git(["write-tree"], git_dir=git_dir).strip().decode()
    run_git(["update-ref", "refs/jagged/base", _commit(git_dir, written)], git_dir=git_dir)
    remove_tree(destination / "tree")
    return git_dir


def _commit(git_dir: Path, tree: str) -> str:
    identity = ["-c", "user.name=-", "-c", "user.email=-"]
    commit = run_git([*identity, "commit-tree", tree, "-m", "base"], git_dir=git_dir)
    return commit.strip().decode()
