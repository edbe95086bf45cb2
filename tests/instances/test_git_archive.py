"""Trees of commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.git_archive import archive_commit


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_bytes(b"# $Format:%H$\r\nold = 1\r\n")
    (root / "run.sh").write_text("true\n")
    (root / "run.sh").chmod(0o755)
    (root / "tests").mkdir()
    (root / "tests" / "test_a.py").write_text("old = 1\n")
    attributes = "tests export-ignore\na.py export-subst text eol=lf\n"
    (root / ".gitattributes").write_text(attributes)
    git(root, "-c", "core.autocrlf=false", "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


def test_tree_is_what_was_committed(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    blob = git(repository, "rev-parse", "HEAD:a.py")
    (repository / "a.py").write_text("new = 1\n")
    git(repository, "commit", "-q", "-a", "-m", "two")
    tree = archive_commit(repository, commit, tmp_path / "tree")
    assert git(repository, "hash-object", "--no-filters", str(tree / "a.py")) == blob
    assert (tree / "tests" / "test_a.py").exists()
    assert (tree / "run.sh").stat().st_mode & 0o100
    assert not (tree / ".git").exists()


def test_short_commit_off_every_branch(repository: Path, tmp_path: Path) -> None:
    (repository / "lost.py").write_text("lost = 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "lost")
    commit = git(repository, "rev-parse", "--short=10", "HEAD")
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    assert (archive_commit(repository, commit, tmp_path / "tree") / "lost.py").exists()


def test_bundle(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    bundle = tmp_path / "repo.bundle"
    git(repository, "bundle", "create", "-q", str(bundle), "main")
    assert (archive_commit(bundle, commit, tmp_path / "tree") / "a.py").exists()


def test_no_such_commit(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match=r"source\.commit: no commit 0123456789 in "):
        archive_commit(repository, "0123456789", tmp_path / "tree")


def test_no_such_repository(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match=r"source\.path: .*none: no such repository"):
        archive_commit(tmp_path / "none", "0123456789", tmp_path / "tree")


def test_not_a_repository(tmp_path: Path) -> None:
    (tmp_path / "x.bundle").write_text("no bundle")
    with pytest.raises(InstanceError, match="source: git clone: ") as caught:
        archive_commit(tmp_path / "x.bundle", "0123456789", tmp_path / "tree")
    assert "\n" not in str(caught.value)
