"""Copy and remove trees that anybody may have written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from pathlib import Path

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["copy_tree", "digest_tree", "open_up", "read_regular", "remove_tree"]

_LARGEST_READ = 256 << 20  # bytes

_CACHES = frozenset({".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})


def copy_tree(source: Path, destination: Path, *, keep_caches: bool = False) -> None:
    """Copy files, folders and links (as links); sockets, pipes and devices are left out.

    Without *keep_caches* version control and bytecode stay behind at any depth.
    """

    def ignored(folder: str, names: list[str]) -> set[str]:
        gone = {name for name in names if _is_special(Path(folder) / name)}
        if not keep_caches:
            gone |= {name for name in names if name in _CACHES or name.endswith((".pyc", ".pyo"))}
        return gone

    shutil.copytree(
        source, destination, symlinks=True, ignore=ignored, ignore_dangling_symlinks=True
    )
    destination.chmod(0o755)


def _is_special(path: Path) -> bool:
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def open_up(root: Path) -> None:
    """Let the owner read everything below *root* and write its folders; whoever ran may have
    forbidden it. Links are not followed; executable bits of files stay as they are.
    """
    root.chmod(0o700)
    for folder, names, files in os.walk(root):
        # Modes are set before the walk goes down, which it does only into what it can read.
        for name in names:
            _allow(Path(folder, name), stat.S_IRWXU)
        for name in files:
            _allow(Path(folder, name), stat.S_IRUSR)


def _allow(path: Path, bits: int) -> None:
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & bits != bits:
            path.chmod(stat.S_IMODE(mode) | bits)


def remove_tree(root: Path) -> None:
    """Remove *root* whatever the modes in it; what cannot be removed is left."""
    if root.is_dir() and not root.is_symlink():
        with contextlib.suppress(OSError):
            shutil.rmtree(root)
            return
        with contextlib.suppress(OSError):
            open_up(root)
        shutil.rmtree(root, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            root.unlink()


def read_regular(path: Path) -> bytes | None:
    """The bytes of a file; None for a folder, a pipe or a device, which may have no end.

    Raises:
        OSError: there is nothing to read.
        EnvironmentFailure: the file is too large to be anything we ask for.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > _LARGEST_READ:
            raise EnvironmentFailure(f"cannot read {path}: {status.st_size} bytes are too many")
        with open(handle, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(handle)


def digest_tree(tree: Path) -> str:
    """Digest over names, modes and bytes of *tree* without `.git`."""
    digest = hashlib.sha256()
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree)
        if relative.parts[0] == ".git":
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        digest.update(os.fsencode(relative) + b"\0%o\0" % mode)
        if path.is_symlink():
            digest.update(os.fsencode(path.readlink()))
        elif path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
