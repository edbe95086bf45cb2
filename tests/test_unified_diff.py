"""Every kind of entry that git writes is read, so that the gold agent can follow it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pytest_jagged.unified_diff import FileDiff, Hunk, read_diff


def git(folder: Path, *arguments: str) -> str:
    variables = {**os.environ, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=variables, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "surrogateescape")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    files = {"kept.py": "a = 1\n", "old name.py": "x = 1\ny = 2\n", "gone.py": "", "ä.py": "a\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    return tmp_path


def difference(repository: Path, *options: str) -> tuple[FileDiff, ...]:
    git(repository, "add", "-A")
    return read_diff(git(repository, "diff", "--cached", "-M", *options))


def test_empty_files_come_and_go(repository: Path) -> None:
    (repository / "pkg").mkdir()
    (repository / "pkg" / "__init__.py").touch()
    (repository / "gone.py").unlink()
    (repository / "gone.py.txt").write_text("text\n")
    assert set(difference(repository, "--no-renames")) == {
        FileDiff(None, "pkg/__init__.py", ()),
        FileDiff("gone.py", None, ()),
        FileDiff(None, "gone.py.txt", (Hunk("", "text\n"),)),
    }


def test_a_pure_rename(repository: Path) -> None:
    (repository / "old name.py").rename(repository / "new name.py")
    assert difference(repository) == (FileDiff("old name.py", "new name.py", ()),)


@pytest.mark.parametrize("quoting", ["true", "false"])
def test_names_in_quotes(repository: Path, quoting: str) -> None:
    git(repository, "config", "core.quotePath", quoting)
    (repository / "ä.py").write_text("b\n")
    (repository / 'q"ö\t.py').write_text("c\n")
    (repository / "empty ü.py").touch()
    assert set(difference(repository)) == {
        FileDiff("ä.py", "ä.py", (Hunk("a\n", "b\n"),)),
        FileDiff(None, 'q"ö\t.py', (Hunk("", "c\n"),)),
        FileDiff(None, "empty ü.py", ()),
    }


def test_modes_and_binaries_are_left_out(repository: Path) -> None:
    (repository / "kept.py").chmod(0o755)
    (repository / "data.bin").write_bytes(bytes(range(256)))
    assert difference(repository) == ()
    assert difference(repository, "--binary") == ()
