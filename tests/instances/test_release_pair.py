"""Seed, gold patch and graded tests from two releases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_jagged.instances.release_pair import ReleaseDifference, ReleasePair, compare_releases
from tests.instances.folders import make_sdist

OLD = {
    "src/calc/__init__.py": "__version__ = '1'\n",
    "src/calc/core.py": "def double(n):\n    return n + n + 1\n",
    "src/calc/ends.py": "a = 1\r\nb = 2",
    "src/calc/gone.py": "x = 1\n",
    "src/calc/tests/test_core.py": "old = 1\n",
    "src/calc.egg-info/PKG-INFO": "Name: calc\n",
    "tests/test_old.py": "old = 1\n",
    "tests/same.py": "same = 1\n",
    "checks/check_core.py": "old = 1\n",
    "docs/conf.py": "old = 1\n",
    "tools/release.py": "old = 1\n",
    "README": "old\n",
}
NEW = {
    **{k: v for k, v in OLD.items() if k not in ("src/calc/gone.py", "tests/test_old.py")},
    "src/calc/__init__.py": "__version__ = '2'\n",
    "src/calc/core.py": "def double(n):\n    return n + n\n",
    "src/calc/ends.py": "a = 1\r\nb = 3",
    "src/calc/fresh.py": "y = 1\n",
    "src/calc/tests/test_core.py": "new = 1\n",
    "tests/test_new.py": "new = 1\n",
    "tests/data/case.sql": "select 1\n",
    "checks/check_core.py": "new = 1\n",
    "docs/conf.py": "new = 1\n",
    "tools/release.py": "new = 1\n",
    "README": "new\n",
    "setup.py": "raise SystemExit('other build script')\n",
}


def compare(
    tmp_path: Path,
    *,
    import_root: str = "src",
    test_globs: tuple[str, ...] = (),
    gold_files: tuple[str, ...] = (),
    gold_exclude: tuple[str, ...] = (),
) -> ReleaseDifference:
    pair = ReleasePair(
        make_sdist(tmp_path / "s", "calc", "1", OLD),
        make_sdist(tmp_path / "s", "calc", "2", NEW),
        import_root,
        test_globs,
        gold_files,
        gold_exclude,
    )
    return compare_releases(pair, tmp_path / "cache")


def test_fix_is_changed_source(tmp_path: Path) -> None:
    found = compare(tmp_path, gold_exclude=("src/calc/__init__.py",))
    assert found.gold_files == (
        "src/calc/core.py",
        "src/calc/ends.py",
        "src/calc/fresh.py",
        "src/calc/gone.py",
    )


def test_without_import_root_all_source_counts_but_docs_and_packaging(tmp_path: Path) -> None:
    found = compare(tmp_path, import_root=".", gold_exclude=("src/**",))
    assert found.gold_files == ("checks/check_core.py", "tools/release.py")


def test_named_gold_files_win(tmp_path: Path) -> None:
    found = compare(tmp_path, gold_files=("src/calc/core.py", "src/calc/tests/test_core.py"))
    assert found.gold_files == ("src/calc/core.py", "src/calc/tests/test_core.py")
    assert "src/calc/tests/test_core.py" not in [edit.path for edit in found.overlay]


def test_graded_tests_are_changed_tests_and_their_data(tmp_path: Path) -> None:
    found = compare(tmp_path, test_globs=("checks/**",))
    assert {edit.path: edit.content for edit in found.overlay} == {
        "checks/check_core.py": b"new = 1\n",
        "src/calc/tests/test_core.py": b"new = 1\n",
        "tests/data/case.sql": b"select 1\n",
        "tests/test_new.py": b"new = 1\n",
        "tests/test_old.py": None,
    }


def test_seed_is_the_old_release(tmp_path: Path) -> None:
    seed = compare(tmp_path).seed
    assert (seed / "src/calc/core.py").read_text() == OLD["src/calc/core.py"]
    assert (seed / "src/calc.egg-info/PKG-INFO").exists()
    assert not (seed / "src/calc/fresh.py").exists()


def test_patch_makes_the_new_source(tmp_path: Path) -> None:
    found = compare(tmp_path)
    tree = tmp_path / "tree"
    subprocess.run(["cp", "-r", found.seed, tree], check=True)
    subprocess.run(
        ["git", "apply", "--binary", "-"],
        cwd=tree,
        input=found.gold_patch.encode("utf-8", "surrogateescape"),
        check=True,
    )
    for name in found.gold_files:
        path = tree / name
        content = path.read_bytes().decode() if path.exists() else None
        assert content == NEW.get(name)


def test_patch_does_not_depend_on_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = compare(tmp_path / "a").gold_patch
    home = tmp_path / "home"
    home.mkdir()
    config = "[diff]\n\tmnemonicPrefix = true\n\tcontext = 9\n[color]\n\tui = always\n"
    (home / ".gitconfig").write_text(config)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert compare(tmp_path / "b").gold_patch == plain
    assert "--- a/src/calc/core.py\n+++ b/src/calc/core.py\n" in plain
