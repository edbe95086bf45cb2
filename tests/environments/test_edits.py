"""Files are written where they belong, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.environments.edits import write_edit


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def test_a_rewritten_file_keeps_its_inode_and_mode(tree: Path) -> None:
    path = tree / "a.py"
    path.write_bytes(b"longer than what comes")
    path.chmod(0o755)
    before = path.stat()
    write_edit(tree, FileEdit("a.py", b"short"))
    assert path.read_bytes() == b"short"
    assert (path.stat().st_ino, path.stat().st_mode) == (before.st_ino, before.st_mode)


def test_other_names_of_a_file_are_left_alone(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    (tree / "hard").hardlink_to(outside)
    (tree / "soft").symlink_to(outside)
    write_edit(tree, FileEdit("hard", b"x"))
    write_edit(tree, FileEdit("soft", b"y"))
    assert outside.read_bytes() == b"mine"
    assert (tree / "hard").read_bytes() == b"x"
    assert (tree / "soft").read_bytes() == b"y"
    assert (tree / "soft").stat().st_mode & 0o777 == 0o644


def test_nothing_outside_is_removed(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.py").touch()
    (tree / "pkg").symlink_to(outside)
    write_edit(tree, FileEdit("pkg/kept.py", None))
    assert (outside / "kept.py").exists()
    write_edit(tree, FileEdit("pkg", None))
    assert not (tree / "pkg").is_symlink()


def test_a_folder_is_no_file_that_shall_not_be(tree: Path) -> None:
    (tree / "pkg").mkdir()
    (tree / "pkg" / "mod.py").touch()
    write_edit(tree, FileEdit("pkg", None))
    assert (tree / "pkg" / "mod.py").exists()
    write_edit(tree, FileEdit("pkg", b"now a file"))
    assert (tree / "pkg").read_bytes() == b"now a file"


def test_executable_bits_are_set_and_kept(tree: Path) -> None:
    for wanted, mode in ((True, 0o755), (None, 0o755), (False, 0o644)):
        write_edit(tree, FileEdit("run", b"", executable=wanted))
        assert (tree / "run").stat().st_mode & 0o777 == mode
