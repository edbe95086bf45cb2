"""`jagged validate` on a small project whose tests look at different things."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.__main__ import main
from pytest_jagged.transforms import comparison_swapper

SOURCE = '''"""Sums."""


def total(numbers):
    result = 0
    for number in numbers:
        if number > 0:
            result = result + number
        else:
            result = result - number
    return result
'''
TESTS = """
import inspect, pathlib
import sums

def test_behaviour():
    assert sums.total([1, -2]) == 3

def test_lines():
    assert sums.total.__code__.co_firstlineno == 4

def test_source():
    assert "if number > 0:" in inspect.getsource(sums.total)
"""
COMMAND = "python -m pytest -q -p no:cacheprovider"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JAGGED_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "sums.py").write_text(SOURCE)
    (folder / "tests" / "test_sums.py").write_text(TESTS)
    return folder


def validate(project: Path, *options: str) -> tuple[int, list[dict[str, Any]]]:
    out = project.parent / "out.json"
    command = ["validate", str(project), "--test-command", COMMAND, "--json", str(out)]
    status = main([*command, *options])
    return status, json.loads(out.read_text())["transformations"] if out.exists() else []


def test_a_rewriting_that_keeps_behaviour_holds_though_its_text_is_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, (found,) = validate(project, "--spt", "comparison_swapper")
    assert status == 0
    assert found["applied"] == 1
    (changed,) = found["changed"]
    assert "test_source" in changed["name"]
    assert changed["observes_source"]
    status, (found,) = validate(project, "--spt", "if_true_wrapper")
    text = capsys.readouterr().out
    assert "3 tests, 0 flaky" in text
    assert status == 0
    assert not any("test_behaviour" in test["name"] for test in found["changed"])


def test_what_is_known_is_not_run_again(project: Path) -> None:
    first = validate(project, "--spt", "for_loop_rewriter")
    memory = project.parent / "cache" / "validations"
    kept = {path: path.stat().st_mtime_ns for path in memory.iterdir()}
    assert validate(project, "--spt", "for_loop_rewriter") == first
    assert {path: path.stat().st_mtime_ns for path in memory.iterdir()} == kept
    (project / "sums.py").write_text(SOURCE + "\n")
    validate(project, "--spt", "for_loop_rewriter")
    assert len(list(memory.iterdir())) > len(kept)


def test_a_transformation_that_changes_behaviour_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(comparison_swapper._MIRROR, ast.Gt, (">", ">"))
    status, (found,) = validate(project, "--spt", "comparison_swapper")
    assert status == 1
    assert any("test_behaviour" in test["name"] for test in found["changed"])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("python -m pytest -q tests/none.py", "the suite gives no results"),
        ("true", "the suite gives no results"),
        ("python -m pytest -q -W error -c broken.ini", "no test passes"),
    ],
)
def test_a_suite_without_results_proves_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, words: str
) -> None:
    (project / "broken.ini").write_text("[pytest]\npython_files = *.py\n")
    (project / "aaa.py").write_text("raise ValueError\n")
    assert main(["validate", str(project), "--test-command", command]) == 2
    assert words in capsys.readouterr().err


def test_no_such_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "nowhere", "--test-command", COMMAND]) == 2
    assert "nowhere: no such folder" in capsys.readouterr().err


def test_no_such_interpreter(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", str(project), "--test-command", COMMAND, "--python", "/bin/true"]
    assert main(command) == 2
    assert "--python /bin/true: is no working interpreter" in capsys.readouterr().err
