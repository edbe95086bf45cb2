"""A broken and a fixed release of one package: seed, gold patch and graded tests from the two."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_jagged.contracts.instance import FileEdit, has_test_layout, matches_glob
from pytest_jagged.instances.archive import unpack
from pytest_jagged.instances.diff import diff_files
from pytest_jagged.instances.tree import clean_files, file_edits, store_seed

__all__ = ["ReleaseDifference", "ReleasePair", "compare_releases"]

_PACKAGING = frozenset({"setup.py", "versioneer.py", "noxfile.py"})
_DOCUMENTATION = frozenset({"docs", "doc", "examples", "benchmarks"})


@dataclass(frozen=True, slots=True)
class ReleasePair:
    """Two sdists, and what says which of their changed files are the fix and which the tests."""

    old: Path
    new: Path
    import_root: str
    test_globs: tuple[str, ...]
    gold_files: tuple[str, ...]
    gold_exclude: tuple[str, ...]

    def is_test(self, path: str) -> bool:
        if path in self.gold_files:
            return False
        return has_test_layout(path) or any(matches_glob(path, g) for g in self.test_globs)

    def is_gold(self, path: str) -> bool:
        """Python source below the import root that is neither test, packaging nor excluded."""
        if self.gold_files:
            return path in self.gold_files
        pure = PurePosixPath(path)
        if pure.suffix != ".py" or self.is_test(path) or pure.name in _PACKAGING:
            return False
        if self.import_root != "." and not pure.is_relative_to(self.import_root):
            return False
        if any(part in _DOCUMENTATION for part in pure.parts):
            return False
        return not any(matches_glob(path, pattern) for pattern in self.gold_exclude)


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    seed: Path
    seed_digest: str
    gold_patch: str
    gold_files: tuple[str, ...]
    overlay: tuple[FileEdit, ...]


def compare_releases(pair: ReleasePair, cache: Path) -> ReleaseDifference:
    """Unpack both, keep the old one as the seed, and take the difference apart.

    Raises:
        InstanceError: an archive that is not safe to unpack.
    """
    with tempfile.TemporaryDirectory() as folder:
        old_tree = unpack(pair.old, Path(folder) / "old")
        new_tree = unpack(pair.new, Path(folder) / "new")
        old, new = _contents(old_tree), _contents(new_tree)
        changed = sorted(p for p in {*old, *new} if old.get(p) != new.get(p))
        gold = tuple(path for path in changed if pair.is_gold(path))
        tests = [path for path in changed if pair.is_test(path) and path not in gold]
        overlay = file_edits((path, new_tree / path) for path in tests if path in new)
        removed = tuple(FileEdit(path, None) for path in tests if path not in new)
        seed, digest = store_seed(old_tree, cache, keep_metadata=True)
        return ReleaseDifference(
            seed=seed,
            seed_digest=digest,
            gold_patch=diff_files(_only(old, gold), _only(new, gold)),
            gold_files=gold,
            overlay=tuple(sorted((*overlay, *removed), key=lambda edit: edit.path)),
        )


def _contents(tree: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in clean_files(tree, keep_metadata=True)}


def _only(files: Mapping[str, bytes], names: tuple[str, ...]) -> dict[str, bytes]:
    return {name: files[name] for name in names if name in files}
