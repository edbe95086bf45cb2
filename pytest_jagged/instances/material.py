"""What a source of a native instance yields: seed tree, gold patch, graded tests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.description import Description
from pytest_jagged.instances.diff import patched_files
from pytest_jagged.instances.git_archive import archive_commit
from pytest_jagged.instances.release_pair import ReleasePair, compare_releases
from pytest_jagged.instances.sdist import Sdist, fetch_sdist
from pytest_jagged.instances.tree import clean_files, file_edits, store_seed

__all__ = ["Material", "read_material"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Material:
    """`seed` lies in the cache."""

    seed: Path
    seed_digest: str
    gold_patch: str
    gold_files: tuple[str, ...]
    overlay: tuple[FileEdit, ...]


def read_material(description: Description, cache: Path, progress: Progress) -> Material:
    """Raises InstanceError where the source is not as described."""
    if description.source.kind == "pypi":
        return _releases(description, cache, progress)
    seed, digest = _own_tree(description, cache)
    gold = _read_gold(description)
    overlay = description.folder / "tests"
    return Material(
        seed=seed,
        seed_digest=digest,
        gold_patch=gold,
        gold_files=description.gold_files or patched_files(gold),
        overlay=file_edits(clean_files(overlay)) if overlay.is_dir() else (),
    )


def _own_tree(description: Description, cache: Path) -> tuple[Path, str]:
    source = description.source
    path = description.folder / Path(source.path).expanduser()
    if source.kind == "dir":
        if not path.is_dir():
            raise description.error(f"source.path: no folder {path}; check the path")
        return store_seed(path, cache)
    with tempfile.TemporaryDirectory() as folder:
        tree = archive_commit(path, source.commit, Path(folder) / "tree")
        return store_seed(tree, cache)


def _read_gold(description: Description) -> str:
    path = description.folder / "gold.patch"
    try:
        gold = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        raise description.error(f"no file {path.name} beside it; add the fix as a diff") from None
    if not patched_files(gold):
        raise InstanceError(f"{path}: changes no file; write a unified diff (git diff)")
    return gold


def _releases(description: Description, cache: Path, progress: Progress) -> Material:
    source = description.source
    old = Sdist(source.name, source.version_from, source.sha256_from)
    new = Sdist(source.name, source.version_to, source.sha256_to)
    archives = [fetch_sdist(sdist, cache, progress) for sdist in (old, new)]
    pair = ReleasePair(
        archives[0],
        archives[1],
        description.import_root,
        description.test_globs,
        description.gold_files,
        description.gold_exclude,
    )
    difference = compare_releases(pair, cache)
    if not difference.gold_files:
        raise description.error("source: the releases differ in no source file outside tests")
    return Material(
        seed=difference.seed,
        seed_digest=difference.seed_digest,
        gold_patch=difference.gold_patch,
        gold_files=difference.gold_files,
        overlay=difference.overlay,
    )
