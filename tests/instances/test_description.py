"""`instance.yaml`: what is read, and one clear line for everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import ResultsMode
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.description import read_description
from tests.instances.folders import DESCRIPTION, write_instance

SHA = "b" * 64


def error_of(folder: Path) -> str:
    with pytest.raises(InstanceError) as caught:
        read_description(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_defaults(tmp_path: Path) -> None:
    text = "test_command: python -m pytest\nfail_to_pass: [t.py::test_a]\n"
    read = read_description(write_instance(tmp_path / "by-name", text))
    assert read.id == "by-name"
    assert (read.source.kind, read.source.path, read.import_root) == ("dir", "repo", ".")
    assert read.results.mode is ResultsMode.PYTEST
    assert read.pass_to_pass is None
    assert (read.workdir, read.network, read.image, read.keywords) == (
        "/testbed",
        "none",
        None,
        None,
    )


def test_everything(tmp_path: Path) -> None:
    text = f"""\
schema: 1
id: full
source: {{kind: pypi, name: calc, from: "1.0", to: "1.1", sha256_from: {SHA}, sha256_to: {SHA}}}
import_root: src
python: ">=3.10"
test_deps: [pytest, six]
test_command: python -m pytest
results: junit:out.xml
fail_to_pass: ["t.py::test_a[x y]"]
pass_to_pass: [t.py::test_b]
gold_files: [src/calc.py]
gold_exclude: [src/_version.py]
test_globs: ["checks/**"]
source_globs: ["src/**"]
image: someone/image:1
workdir: /app
env: {{MODE: "1"}}
network: none
timeouts: {{test: 60, agent: 900.5}}
keywords: {{methods: [double], literals: ["no"]}}
tags: [small]
"""
    read = read_description(write_instance(tmp_path, text))
    assert (read.source.name, read.source.version_from, read.source.version_to) == (
        "calc",
        "1.0",
        "1.1",
    )
    assert (read.results.mode, read.results.argument) == (ResultsMode.JUNIT, "out.xml")
    assert read.pass_to_pass == ("t.py::test_b",)
    assert (read.timeouts.test, read.timeouts.agent) == (60.0, 900.5)
    assert read.keywords is not None
    assert read.keywords.literals == ("no",)
    assert read.env == {"MODE": "1"}


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("test_deps: []", "test_dep: []", 6, "test_dep: unknown key; did you mean 'test_deps'?"),
        ("schema: 1", "schema: 2", 1, "schema: this version reads schema 1 only"),
        ("id: calc", "id: 24.10", 2, "id: YAML reads this as float 24.1; write it in quotes"),
        ("id: calc", "id: no", 2, "id: YAML reads this as bool False; write it in quotes"),
        ("[exit_code]", "[2024-01-02]", 7, "YAML reads this as date 2024-01-02"),
        ("[exit_code]", "[]", 7, "fail_to_pass: names no test"),
        ("[exit_code]", "exit_code", 7, "must be a list of strings"),
        ("[exit_code]", "[exit_code, exit_code]", 7, "names 'exit_code' twice"),
        ("pass_to_pass: []", "pass_to_pass: atuo", 8, "must be a list of strings (got 'atuo')"),
        ("exit_code\ntest", "exitcode\ntest", 5, "results: 'exitcode' is not a choice; did you"),
        ("exit_code\ntest", "junit\ntest", 5, "write junit:PATH"),
        ("kind: dir", "kind: dri", 3, "'dri' is not a choice; did you mean 'dir'?"),
        ("kind: dir", "kind: image", 3, "kind image is not supported yet"),
        ("path: repo", "paht: repo", 3, "source.paht: unknown key; did you mean 'path'?"),
        ("test_deps: []", "python: three", 6, "python: 'three' is no version specifier"),
        ("test_deps: []", "import_root: ../x", 6, "import_root: '../x' leaves the tree"),
        ("test_deps: []", "timeouts: {test: 0}", 6, "timeouts.test: must be a number of seconds"),
        ("test_deps: []", "timeouts: {run: 3}", 6, "timeouts.run: unknown key; valid: agent, test"),
        ("test_deps: []", "keywords: [a]", 6, "keywords: must be a mapping"),
        ("test_deps: []", "env: {A: 1}", 6, "env: YAML reads this as int 1"),
        ("test_deps: []", 'workdir: " "', 6, "workdir: is empty"),
        ("test_command: python check.py", "", 1, "test_command: is missing"),
    ],
)
def test_errors_point_at_the_key(tmp_path: Path, old: str, new: str, line: int, says: str) -> None:
    assert old in DESCRIPTION
    message = error_of(write_instance(tmp_path, DESCRIPTION.replace(old, new, 1)))
    assert message.startswith(f"{tmp_path}/instance.yaml:{line}: ")
    assert says in message


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("sha256_from", "abc", "sha256_from: 'abc' is not 64 lower-case hex digits"),
        ("name", "../x", "name: '../x' is not the package's name"),
        ("to", "1.10", "to: YAML reads this as float 1.1; write it in quotes"),
    ],
)
def test_release_pairs_are_checked(tmp_path: Path, key: str, value: str, says: str) -> None:
    parts = {
        "kind": "pypi",
        "name": "calc",
        "from": '"1"',
        "to": '"2"',
        "sha256_from": SHA,
        "sha256_to": SHA,
        key: value,
    }
    source = ", ".join(f"{name}: {part}" for name, part in parts.items())
    text = DESCRIPTION.replace("kind: dir, path: repo", source)
    assert says in error_of(write_instance(tmp_path, text))


def test_git_needs_a_commit(tmp_path: Path) -> None:
    text = DESCRIPTION.replace("kind: dir", "kind: git")
    assert "source.commit: is missing" in error_of(write_instance(tmp_path, text))


def test_broken_yaml(tmp_path: Path) -> None:
    message = error_of(write_instance(tmp_path, DESCRIPTION + "tags: [a\n"))
    assert message.startswith(f"{tmp_path}/instance.yaml:10: not valid YAML")


def test_key_twice(tmp_path: Path) -> None:
    message = error_of(write_instance(tmp_path, DESCRIPTION + "id: other\n"))
    assert "instance.yaml:9: id: named twice; remove one" in message


@pytest.mark.parametrize("name", ["a/b", "..", ".hidden", "a b", "ü", "a\n"])
def test_ids_are_names_of_folders(tmp_path: Path, name: str) -> None:
    text = DESCRIPTION.replace("id: calc", f"id: {name!r}".replace("\\n", "\n\n "))
    assert "use letters, digits" in error_of(write_instance(tmp_path, text))
