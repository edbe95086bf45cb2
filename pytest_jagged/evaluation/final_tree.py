"""The tree as an agent left it, made safe to give to git."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.environments.tree import open_up, remove_tree

__all__ = ["fetch_final_tree"]


def fetch_final_tree(environment: Environment, copy: Path) -> Path:
    """The tree without repositories in it; one that is gone or became a link is empty.

    In place where the host can read it, else copied to *copy*. What git could not track, or would
    take for a repository, is removed: the run is over, and nobody else reads this tree.

    Raises:
        OSError: the tree cannot be read or changed.
    """
    tree = environment.host_tree()
    if tree is None:
        tree = copy
        if _is_folder(environment):
            environment.copy_out(environment.workdir, tree)
    if tree.is_symlink() or not tree.is_dir():
        copy.mkdir()
        return copy
    open_up(tree)
    _remove_untrackable(tree)
    return tree


def _is_folder(environment: Environment) -> bool:
    tree = shlex.quote(environment.workdir)
    script = f"test -d {tree} && test ! -L {tree}"
    return environment.exec(["/bin/sh", "-c", script], timeout=60, cwd="/").ok


def _remove_untrackable(tree: Path) -> None:
    for folder, names, files in os.walk(tree):
        for name in [*names, *files]:
            path = Path(folder, name)
            if path == tree / ".git":  # git passes over this one itself
                continue
            # It refuses the name in any case of letters.
            if name.lower() == ".git":
                remove_tree(path)
            elif name in files and _is_special(path):
                path.unlink()
        names[:] = [name for name in names if name.lower() != ".git"]


def _is_special(path: Path) -> bool:
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))
