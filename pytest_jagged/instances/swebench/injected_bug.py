"""SWE-smith: a row's patch puts the bug into the image's clean tree, and undoing it is the fix."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.contracts.environment import ImageTree
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.diff import diff_files
from pytest_jagged.instances.patching import patch_edits
from pytest_jagged.instances.swebench.rows import Row
from pytest_jagged.instances.swebench.suite import SuiteRun, own_suite
from pytest_jagged.instances.tree import store_seed

__all__ = ["InjectedBug", "injected_bug"]


@dataclass(frozen=True, slots=True)
class InjectedBug:
    """`seed_edits` lead from the image's tree to the seed, which lies in the cache."""

    seed: Path
    seed_digest: str
    seed_edits: tuple[FileEdit, ...]
    gold_patch: str
    overlay: tuple[FileEdit, ...]
    run: SuiteRun


def injected_bug(row: Row, tree: ImageTree, cache: Path) -> InjectedBug:
    """As on the data set's branches, the files of the fail-to-pass tests are not in the seed; they
    are the graded overlay.

    Raises:
        InstanceError: the patch does not apply, or a test's file is not in the tree.
    """
    try:
        bug = patch_edits(tree.seed, row.text("patch"))
    except InstanceError as error:
        raise row.error(f"patch does not apply to the image's tree: {error}") from None
    hidden = _files_of(row, "FAIL_TO_PASS", tree)
    every = dict.fromkeys([*hidden, *_files_of(row, "PASS_TO_PASS", tree)])
    overlay = tuple(FileEdit(name, (tree.seed / name).read_bytes()) for name in sorted(hidden))
    edits = (*bug, *(FileEdit(edit.path, None) for edit in overlay))
    seed, digest = _store(tree.seed, edits, cache)
    return InjectedBug(seed, digest, edits, _undo(tree.seed, bug), overlay, own_suite(every))


def _files_of(row: Row, column: str, tree: ImageTree) -> list[str]:
    names = dict.fromkeys(test.partition("::")[0] for test in row.texts(column))
    for name in names:
        if not (tree.seed / name).is_file():
            raise row.error(f"{column}: no file {name!r} in the image's tree")
    return list(names)


def _store(tree: Path, edits: tuple[FileEdit, ...], cache: Path) -> tuple[Path, str]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, symlinks=True)
        for edit in edits:
            path = copy / edit.path
            if edit.content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(edit.content)
                if edit.executable is not None:
                    path.chmod(0o755 if edit.executable else 0o644)
        return store_seed(copy, cache, keep_metadata=True)


def _undo(tree: Path, bug: tuple[FileEdit, ...]) -> str:
    broken = {edit.path: edit.content for edit in bug if edit.content is not None}
    clean = {edit.path: _bytes(tree / edit.path) for edit in bug}
    return diff_files(broken, {name: data for name, data in clean.items() if data is not None})


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
