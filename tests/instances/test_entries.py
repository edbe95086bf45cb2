"""The ids of an entry, read cheaply."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_jagged import instances
from pytest_jagged.contracts.settings import InstanceEntry
from pytest_jagged.errors import ConfigError, InstanceError
from tests.instances.folders import DESCRIPTION, write_instance


def test_id_of_a_folder(tmp_path: Path) -> None:
    folder = write_instance(tmp_path / "other")
    assert instances.list_ids(InstanceEntry(path=folder)) == ("calc",)


def test_folder_name_is_the_default(tmp_path: Path) -> None:
    folder = write_instance(tmp_path / "calc-2", DESCRIPTION.replace("id: calc\n", ""))
    assert instances.list_ids(InstanceEntry(path=folder)) == ("calc-2",)


def test_only_the_top_level_id_counts(tmp_path: Path) -> None:
    text = "keywords: {id: no}\nenv:\n  id: x\ntags: [id, id]\nid: 'real'\n"
    folder = write_instance(tmp_path, text)
    assert instances.list_ids(InstanceEntry(path=folder)) == ("real",)


def test_reading_stops_at_the_id(tmp_path: Path) -> None:
    tests = "".join(f"- tests/test_{n}.py::test_case[{n}]\n" for n in range(100_000))
    folder = write_instance(tmp_path, f"id: big\npass_to_pass:\n{tests}")
    start = time.monotonic()
    assert instances.list_ids(InstanceEntry(path=folder)) == ("big",)
    assert time.monotonic() - start < 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id: 24.10", ":1: id: YAML reads this as float 24.1; write it in quotes"),
        ("\nid: no", ":2: id: YAML reads this as bool False"),
        ("id: [a]", ":1: id: YAML reads this as"),
        ("id: {a: b}", ":1: id: YAML reads this as dict"),
        ("tags: {a: b\nid: calc", ":2: not valid YAML"),
        ("id: a/b", "use letters, digits"),
        ("- a", "use letters, digits"),
    ],
)
def test_bad_ids(tmp_path: Path, text: str, says: str) -> None:
    folder = write_instance(tmp_path / "a b", text)
    with pytest.raises(InstanceError) as caught:
        instances.list_ids(InstanceEntry(path=folder))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match="no such folder; check the path"):
        instances.list_ids(InstanceEntry(path=tmp_path / "none"))


def test_no_description(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match=r"no instance\.yaml in it"):
        instances.list_ids(InstanceEntry(path=tmp_path))


def test_kinds_of_later_versions() -> None:
    with pytest.raises(ConfigError, match="instances: completions: not supported yet"):
        instances.list_ids(InstanceEntry(completions=Path("tasks.jsonl")))


def test_ids_narrow_the_entry(tmp_path: Path) -> None:
    folder = write_instance(tmp_path / "x")
    chosen = tmp_path / "ids.txt"
    chosen.write_text("# mine\n\ncalc\n")
    assert instances.list_ids(InstanceEntry(path=folder, ids_file=chosen)) == ("calc",)
    assert instances.list_ids(InstanceEntry(path=folder, ids=())) == ()
    with pytest.raises(ConfigError, match="ids: no 'calk' in"):
        instances.list_ids(InstanceEntry(path=folder, ids=("calk",)))


def test_cache_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAGGED_CACHE", str(tmp_path / "own"))
    assert instances.cache_root() == tmp_path / "own"
    monkeypatch.delenv("JAGGED_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert instances.cache_root() == tmp_path / "pytest-jagged"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert instances.cache_root() == Path("/home/somebody/.cache/pytest-jagged")


def test_listing_imports_nothing_heavy(tmp_path: Path) -> None:
    folder = write_instance(tmp_path)
    code = (
        "import sys; from pathlib import Path; from pytest_jagged import instances;"
        "from pytest_jagged.contracts.settings import InstanceEntry;"
        f"instances.list_ids(InstanceEntry(path=Path({str(folder)!r})));"
        "heavy = {'pydantic', 'filelock', 'packaging', 'libcst', 'numpy', 'docker'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
