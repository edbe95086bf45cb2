"""Bring one file of a tree to a state, without ever leaving the tree."""

from __future__ import annotations

import stat
from pathlib import Path

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.environments.tree import remove_tree

__all__ = ["write_edit"]

_PLAIN, _EXECUTABLE = 0o644, 0o755


def write_edit(tree: Path, edit: FileEdit) -> None:
    """Write or remove the file that *edit* names.

    What is in the way of a file to write gives way: links, since they could lead out of the tree,
    and folders. A folder where a file shall not be is no such file, and stays.

    Raises:
        OSError: as the file system says.
    """
    path = tree / edit.path
    if edit.content is None:
        _remove(tree, path)
        return
    _make_folder(tree, path.parent)
    mode = _mode_of_plain_file(path)
    # A file that is only rewritten stays in place: a new inode would tell that it was.
    if mode is None:
        remove_tree(path)
    path.write_bytes(edit.content)
    if edit.executable is not None:
        mode = _EXECUTABLE if edit.executable else _PLAIN
    path.chmod(_PLAIN if mode is None else mode)


def _remove(tree: Path, path: Path) -> None:
    folder = path.parent
    while folder != tree:
        if folder.is_symlink() or not folder.is_dir():
            return
        folder = folder.parent
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)


def _make_folder(tree: Path, folder: Path) -> None:
    for part in reversed([folder, *folder.parents]):
        if part in tree.parents or part == tree:
            continue
        if part.is_symlink() or (part.exists() and not part.is_dir()):
            part.unlink()
        part.mkdir(exist_ok=True)


def _mode_of_plain_file(path: Path) -> int | None:
    """Its permissions when it can be rewritten in place: no link to it, and writable."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    is_plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return stat.S_IMODE(status.st_mode) if is_plain and status.st_mode & stat.S_IWUSR else None
