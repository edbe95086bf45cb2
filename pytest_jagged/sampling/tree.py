"""The files of a repository as the sampler sees them: a seed read once, variants laid over it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from pytest_jagged.contracts.instance import FileEdit, Instance

__all__ = ["SeedTree", "VariantTree", "seed_tree"]

_SKIPPED_DIRECTORIES = frozenset({".git", "__pycache__", "node_modules"})
_TREES_KEPT = 4


class SeedTree:
    """The Python files below *root*, with *edits* in place of what the folder holds.

    Links are left out: a rewrite would reach a file under another name, or outside the tree.
    """

    def __init__(self, root: Path, edits: Sequence[FileEdit] = ()) -> None:
        self.root = root
        self._edits: Mapping[str, bytes | None] = {edit.path: edit.content for edit in edits}
        self._read: dict[str, bytes] = {}

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        found = {path for path in _python_files(self.root) if path not in self._edits}
        found |= {p for p, content in self._edits.items() if content is not None and _python(p)}
        return tuple(sorted(found))

    def paths(self) -> Sequence[str]:
        return self._paths

    def read(self, path: str) -> bytes:
        edited = self._edits.get(path)
        if edited is not None:
            return edited
        if path not in self._read:
            self._read[path] = (self.root / path).read_bytes()
        return self._read[path]

    def source_files(self, instance: Instance) -> tuple[str, ...]:
        """SourceFiles of Algorithm 1, sorted: Python files that are no part of the tests."""
        return tuple(path for path in self._paths if instance.is_source_file(path))


@lru_cache(maxsize=_TREES_KEPT)
def _shared(root: Path, digest: str) -> SeedTree:  # noqa: ARG001 - part of the cache's key
    return SeedTree(root)


def seed_tree(instance: Instance) -> SeedTree:
    """The instance's seed, shared by all variants that this process draws."""
    return _shared(instance.seed, instance.seed_digest)


class VariantTree:
    """Clone of Algorithm 1: the seed's bytes but for files that were set; nothing is copied."""

    def __init__(self, seed: SeedTree) -> None:
        self.seed = seed
        self._changed: dict[str, bytes] = {}

    def paths(self) -> Sequence[str]:
        return self.seed.paths()

    def read(self, path: str) -> bytes:
        return self._changed[path] if path in self._changed else self.seed.read(path)

    def write(self, path: str, content: bytes) -> None:
        if content != self.read(path):
            self._changed[path] = content

    def is_as_seeded(self, path: str) -> bool:
        """Whether no transformation has written *path* yet."""
        return path not in self._changed

    def edits(self) -> tuple[FileEdit, ...]:
        """The files whose bytes differ from the seed's, sorted by path."""
        return tuple(
            FileEdit(path, content)
            for path, content in sorted(self._changed.items())
            if content != self.seed.read(path)
        )


def _python(path: str) -> bool:
    return path.endswith(".py")


def _python_files(root: Path) -> Iterator[str]:
    for folder, directories, names in os.walk(root):
        directories[:] = [name for name in directories if name not in _SKIPPED_DIRECTORIES]
        for name in names:
            path = Path(folder, name)
            if _python(name) and path.is_file() and not path.is_symlink():
                relative = path.relative_to(root).as_posix()
                # What is no UTF-8 cannot be written down in a variant.
                if relative.isprintable():
                    yield relative
