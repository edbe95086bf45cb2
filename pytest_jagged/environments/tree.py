"""Copy and remove trees that anybody may have written."""

from __future__ import annotations

import contextlib
import shutil
import stat
from pathlib import Path

__all__ = ["copy_tree", "remove_tree"]

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


def remove_tree(root: Path) -> None:
    """Remove *root* whatever the modes in it; what cannot be removed is left."""

    def open_up(function: object, path: str, error: object) -> None:  # noqa: ARG001 - signature
        with contextlib.suppress(OSError):
            entry = Path(path)
            entry.parent.chmod(0o700)
            if entry.is_symlink() or not entry.is_dir():
                entry.unlink()
            else:
                entry.chmod(0o700)
                shutil.rmtree(entry, ignore_errors=True)

    shutil.rmtree(root, onerror=open_up)
