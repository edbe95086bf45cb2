"""Instance folders become instances."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged import instances
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import InstanceEntry
from pytest_jagged.errors import EnvironmentFailure, InstanceError
from pytest_jagged.instances.identity import content_digest
from pytest_jagged.instances.lock_file import InstanceLock, read_lock, renew_lock, write_lock
from tests.instances.folders import (
    CALC,
    DESCRIPTION,
    GOLD,
    make_sdist,
    make_wheel,
    sha256,
    write_instance,
)

AUTO = DESCRIPTION.replace("pass_to_pass: []", "pass_to_pass: auto")
VERSION = "{}.{}".format(*sys.version_info[:2])


def load(folder: Path, cache: Path) -> Instance:
    entry = InstanceEntry(path=folder)
    (instance_id,) = instances.list_ids(entry)
    return instances.load(entry, instance_id, cache=cache, progress=print)


def error_of(folder: Path, cache: Path) -> str:
    with pytest.raises(InstanceError) as caught:
        load(folder, cache)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_folder(tmp_path: Path, cache: Path) -> None:
    instance = load(write_instance(tmp_path / "calc"), cache)
    assert instance.id == "calc"
    assert instance.problem_statement == "# `double` adds one too many\n"
    assert instance.gold_patch == GOLD
    assert instance.gold_files == ("calc/__init__.py",)
    assert [edit.path for edit in instance.overlay] == ["check.py"]
    assert instance.is_test_file("check.py")
    assert instance.seed == cache / "seeds" / instance.seed_digest
    assert (instance.seed / "check.py").read_text() == CALC["repo/check.py"]
    assert Path(instance.interpreter).is_relative_to(cache / "interpreters")
    assert instance.python_version == sys.version_info[:2]
    assert (instance.pass_to_pass, instance.pass_to_pass_pending) == ((), False)


def test_loading_again_gives_the_same(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc")
    assert load(folder, cache) == load(folder, cache)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("issue.md", "one too many", "two too many"),
        ("gold.patch", "+    return n + n", "+    return 2 * n"),
        ("repo/check.py", "double(0)", "double(-1) + 2"),
        ("tests/check.py", "double(2)", "double(1 + 1)"),
        ("instance.yaml", "python check.py", "python -O check.py"),
        ("instance.yaml", "test_deps: []", "env: {A: b}"),
        ("instance.yaml", "test_deps: []", "source_globs: [calc/**]"),
        ("instance.yaml", "pass_to_pass: []", "pass_to_pass: [x]"),
        ("instance.yaml", "results: exit_code", "results: junit:out.xml"),
    ],
)
def test_all_that_decides_is_in_the_digest(
    tmp_path: Path, cache: Path, name: str, old: str, new: str
) -> None:
    folder = write_instance(tmp_path / "calc")
    before = load(folder, cache)
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    assert load(folder, cache).digest != before.digest


def test_comments_and_tags_are_not(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc")
    before = load(folder, cache)
    write_instance(folder, "# a comment\n" + DESCRIPTION + "tags: [slow]\n")
    assert load(folder, cache).digest == before.digest


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ("issue.md", "instance.yaml: no file issue.md beside it; write the issue there"),
        ("gold.patch", "instance.yaml: no file gold.patch beside it; add the fix as a diff"),
        ("repo", "instance.yaml: source.path: no folder"),
    ],
)
def test_missing_parts(tmp_path: Path, cache: Path, missing: str, says: str) -> None:
    folder = write_instance(tmp_path / "calc")
    (folder / missing).rename(folder / "elsewhere")
    assert says in error_of(folder, cache)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("issue.md", " \n", "issue.md: is empty; write the issue"),
        ("gold.patch", "no diff at all\n", "gold.patch: changes no file"),
    ],
)
def test_empty_parts(tmp_path: Path, cache: Path, name: str, content: str, says: str) -> None:
    folder = write_instance(tmp_path / "calc")
    (folder / name).write_text(content)
    assert says in error_of(folder, cache)


def test_issue_of_another_encoding(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc")
    (folder / "issue.md").write_bytes("Größe".encode("latin-1"))
    assert "issue.md: cannot be read" in error_of(folder, cache)


def test_no_fitting_python(tmp_path: Path, cache: Path) -> None:
    text = DESCRIPTION.replace("test_deps: []", 'python: "<3"')
    assert "instance.yaml: python: no interpreter fits '<3'" in error_of(
        write_instance(tmp_path / "calc", text), cache
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("import_root: src", "instance.yaml: import_root: no folder 'src' in the tree"),
        ("gold_files: [calc/core.py]", "instance.yaml: gold_files: no file 'calc/core.py'"),
    ],
)
def test_paths_that_are_not_in_the_tree(tmp_path: Path, cache: Path, line: str, says: str) -> None:
    text = DESCRIPTION.replace("test_deps: []", line)
    assert says in error_of(write_instance(tmp_path / "calc", text), cache)


def test_git(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc")
    plain = load(folder, cache)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *arguments], cwd=folder / "repo", check=True)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder / "repo", capture_output=True, check=True
    )
    commit = done.stdout.decode().strip()
    source = f"source: {{kind: git, path: repo, commit: '{commit}'}}"
    write_instance(folder, DESCRIPTION.replace("source: {kind: dir, path: repo}", source))
    assert load(folder, cache).seed_digest == plain.seed_digest


RELEASES: Mapping[str, Mapping[str, str]] = {
    "1.0": {
        "calc/__init__.py": "def double(n):\n    return n + n + 1\n",
        "check.py": CALC["repo/check.py"],
    },
    "1.1": {
        "calc/__init__.py": "def double(n):\n    return n + n\n",
        "check.py": CALC["tests/check.py"],
    },
}


def write_release_pair(folder: Path, index: Path) -> Path:
    digests = [sha256(make_sdist(index, "calc", v, files)) for v, files in RELEASES.items()]
    source = (
        'source: {kind: pypi, name: calc, from: "1.0", to: "1.1",'
        f" sha256_from: {digests[0]}, sha256_to: {digests[1]}}}\ntest_globs: [check.py]"
    )
    return write_instance(
        folder, DESCRIPTION.replace("source: {kind: dir, path: repo}", source), {}
    )


def test_release_pair(tmp_path: Path, index: Path, cache: Path) -> None:
    folder = write_release_pair(tmp_path / "calc", index)
    instance = load(folder, cache)
    assert instance.gold_files == ("calc/__init__.py",)
    assert "-    return n + n + 1\n+    return n + n\n" in instance.gold_patch
    assert [edit.path for edit in instance.overlay] == ["check.py"]
    for path in index.iterdir():
        path.unlink()
    assert load(folder, cache) == instance  # offline, from the cache


def test_release_pair_with_wrong_hash(tmp_path: Path, index: Path, cache: Path) -> None:
    folder = write_release_pair(tmp_path / "calc", index)
    make_sdist(index, "calc", "1.1", {"calc.py": "other = 1\n"})
    message = error_of(folder, cache)
    assert message.startswith(f"{folder}/instance.yaml: calc 1.1: wrong sha256")


def test_release_pair_that_changes_no_source(tmp_path: Path, index: Path, cache: Path) -> None:
    folder = write_release_pair(tmp_path / "calc", index)
    text = (folder / "instance.yaml").read_text()
    (folder / "instance.yaml").write_text(text + "gold_exclude: [calc/__init__.py]\n")
    assert "the releases differ in no source file outside tests" in error_of(folder, cache)


def test_own_package_as_test_dependency(tmp_path: Path, index: Path, cache: Path) -> None:
    folder = write_release_pair(tmp_path / "calc", index)
    text = (folder / "instance.yaml").read_text()
    (folder / "instance.yaml").write_text(text.replace("test_deps: []", "test_deps: [Calc>=1]"))
    assert "test_deps: calc is the instance's own package" in error_of(folder, cache)


def test_pytest_is_installed_for_its_results(tmp_path: Path, index: Path, cache: Path) -> None:
    make_wheel(index, "pytest", "9.9", {"pytest.py": "x = 1\n"})
    text = DESCRIPTION.replace("results: exit_code", "results: pytest")
    instance = load(write_instance(tmp_path / "calc", text), cache)
    subprocess.run([instance.interpreter, "-I", "-c", "import pytest; pytest.x"], check=True)


def test_lock_gives_the_list(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    pending = load(folder, cache)
    assert (pending.pass_to_pass_pending, pending.proven) == (True, False)
    renew_lock(pending, folder, ["b", "a"], ["c"])
    locked = load(folder, cache)
    assert (locked.pass_to_pass, locked.flaky) == (("b", "a"), ("c",))
    assert (locked.pass_to_pass_pending, locked.proven) == (False, True)
    assert locked.digest != pending.digest


def test_lock_and_written_list_are_one_instance(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    renew_lock(load(folder, cache), folder, ["b", "a"], [])
    locked = load(folder, cache)
    write_instance(folder, AUTO.replace("auto", "[b, a]"))
    assert load(folder, cache).digest == locked.digest


@pytest.mark.parametrize("reason", ["content", "python"])
def test_lock_that_does_not_fit_is_left_aside(tmp_path: Path, cache: Path, reason: str) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    lock = renew_lock(load(folder, cache), folder, ["a"], [])
    stale = (
        replace(lock, content="0" * 64) if reason == "content" else replace(lock, pythons=("2.7",))
    )
    write_lock(folder, stale)
    assert load(folder, cache).pass_to_pass_pending


def test_lock_keeps_what_holds_on_all_versions(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    instance = load(folder, cache)
    content = content_digest(instance)
    write_lock(folder, InstanceLock(content, ("3.9", "3.99"), ("a", "b", "c"), ("f",)))
    lock = renew_lock(instance, folder, ["c", "d", "a"], ["g"])
    assert lock == InstanceLock(content, ("3.9", VERSION, "3.99"), ("a", "c"), ("f", "g"))
    assert read_lock(folder) == lock


def test_lock_of_this_version_alone_is_replaced(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    instance = load(folder, cache)
    renew_lock(instance, folder, ["a"], ["f"])
    assert renew_lock(instance, folder, ["b"], []).pass_to_pass == ("b",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be read"),
        ("[]", "this version reads schema 1 only; remove it"),
        ('{"schema": 1}', "not a lock file; remove it"),
        ('{"schema": 9}', "this version reads schema 1 only"),
    ],
)
def test_broken_lock(tmp_path: Path, cache: Path, text: str, says: str) -> None:
    folder = write_instance(tmp_path / "calc", AUTO)
    (folder / "instance.lock.json").write_text(text)
    assert says in error_of(folder, cache)


def test_full_disk(tmp_path: Path, small_disk: Path) -> None:
    folder = write_instance(tmp_path / "calc", files={**CALC, "repo/big.txt": "x" * 300_000})
    with pytest.raises(EnvironmentFailure, match="No space left on device; free space there"):
        load(folder, small_disk / "cache")
    assert not list((small_disk / "cache").glob("seeds/[!.]*"))


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = write_instance(tmp_path / "calc")
    with pytest.raises(EnvironmentFailure, match="set JAGGED_CACHE") as caught:
        load(folder, tmp_path / "file" / "cache")
    assert "\n" not in str(caught.value)


def test_two_processes_make_everything_once(tmp_path: Path, cache: Path) -> None:
    folder = write_instance(tmp_path / "calc")
    code = (
        "import json, sys; from pathlib import Path; from pytest_jagged import instances;"
        "from pytest_jagged.contracts.settings import InstanceEntry;"
        "lines = [];"
        "i = instances.load(InstanceEntry(path=Path(sys.argv[1])), 'calc',"
        " cache=Path(sys.argv[2]), progress=lines.append);"
        "print(json.dumps([i.digest, lines]))"
    )
    command = [sys.executable, "-c", code, str(folder), str(cache)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in started]
    assert answers[0][0] == answers[1][0]
    assert sorted(len(lines) for _, lines in answers) == [0, 1]
    assert not list(cache.glob("**/.new-*"))
