"""Seed trees in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.tree import clean_files, file_edits, files_digest, store_seed

LEFTOVERS = (
    ".git/config",
    "a/.git",
    "a/__pycache__/x.cpython-311.pyc",
    "a/x.pyc",
    "a/x.pyo",
    "calc.egg-info/PKG-INFO",
    "calc.egg-link",
    ".venv/lib/calc.py",
    ".tox/t/calc.py",
    ".pytest_cache/v",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("a/x.py", "b.txt", "run.sh", "empty.py", *LEFTOVERS):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"" if name == "empty.py" else b"line\r\n")
    (root / "run.sh").chmod(0o700)
    (root / "link").symlink_to("a/x.py")
    return root


def test_seed_is_clean(tree: Path, cache: Path) -> None:
    seed, digest = store_seed(tree, cache)
    assert seed == cache / "seeds" / digest
    names = sorted(p.relative_to(seed).as_posix() for p in seed.rglob("*") if not p.is_dir())
    assert names == ["a/x.py", "b.txt", "empty.py", "link", "run.sh"]
    assert (seed / "a/x.py").read_bytes() == b"line\r\n"
    assert (seed / "link").readlink() == Path("a/x.py")
    assert [(seed / n).stat().st_mode & 0o777 for n in ("b.txt", "run.sh")] == [0o644, 0o755]


def test_metadata_of_an_sdist_stays(tree: Path) -> None:
    names = [name for name, _ in clean_files(tree, keep_metadata=True)]
    assert "calc.egg-info/PKG-INFO" in names


def test_leftovers_do_not_change_the_digest(tree: Path, cache: Path) -> None:
    before = store_seed(tree, cache)
    (tree / "a/__pycache__/y.pyc").write_bytes(b"new")
    (tree / "b.txt").chmod(0o600)
    os.utime(tree / "b.txt", (0, 0))
    assert store_seed(tree, cache) == before


@pytest.mark.parametrize("change", ["content", "name", "mode", "link", "moved"])
def test_everything_else_does(tree: Path, change: str) -> None:
    before = files_digest(clean_files(tree))
    if change == "content":
        (tree / "b.txt").write_bytes(b"line\n")
    elif change == "name":
        (tree / "b.txt").rename(tree / "c.txt")
    elif change == "mode":
        (tree / "b.txt").chmod(0o755)
    elif change == "link":
        (tree / "link").unlink()
        (tree / "link").symlink_to("b.txt")
    else:
        (tree / "b.txt").rename(tree / "a" / "b.txt")
    assert files_digest(clean_files(tree)) != before


def test_written_cache_is_made_anew(tree: Path, cache: Path) -> None:
    seed, digest = store_seed(tree, cache)
    (seed / "b.txt").write_bytes(b"somebody was here")
    assert store_seed(tree, cache) == (seed, digest)
    assert (seed / "b.txt").read_bytes() == b"line\r\n"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "a/../../outside", ".."])
def test_links_that_leave_the_tree(tree: Path, target: str) -> None:
    (tree / "bad").symlink_to(target)
    with pytest.raises(InstanceError, match=r"bad: link to .* leaves the tree"):
        clean_files(tree)


def test_no_pipes(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    with pytest.raises(InstanceError, match="pipe: is no file, folder or link"):
        clean_files(tree)


def test_graded_tests_are_files(tree: Path) -> None:
    with pytest.raises(InstanceError, match="a graded test cannot be a link"):
        file_edits(clean_files(tree))
    (tree / "link").unlink()
    edits = {edit.path: edit for edit in file_edits(clean_files(tree))}
    assert edits["run.sh"].executable
    assert not edits["b.txt"].executable
    assert edits["b.txt"].content == b"line\r\n"
