"""Studies for pytester: one small real instance, graded by an exit code, and agents of one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODES = {"plain": (), "n0": ("-n", "0"), "n2": ("-n", "2")}

SOURCE = '''"""Counting."""


def total(numbers):
    result = 0
    for number in numbers:
        if number > 0:
            result = result - number
        else:
            result = result - 0
    return result


def label(numbers):
    if total(numbers) > 10:
        return "many things"
    return "few things"
'''
FIX = "sed -i 's/result - number/result + number/' counting.py"
INSTANCE = {
    "schema": 1,
    "source": {"kind": "dir", "path": "repo"},
    "test_command": "python -c 'import counting; assert counting.total([1, 2]) == 3'",
    "results": "exit_code",
    "fail_to_pass": ["exit_code"],
    "pass_to_pass": [],
    "test_deps": [],
    "gold_files": ["counting.py"],
    "keywords": {"methods": ["total"], "literals": ["many things"]},
}
GOLD = """--- a/counting.py
+++ b/counting.py
@@ -5,7 +5,7 @@
     result = 0
     for number in numbers:
         if number > 0:
-            result = result - number
+            result = result + number
         else:
             result = result - 0
     return result
"""

Study = Callable[..., Path]
Run = Callable[..., pytest.RunResult]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One cache of trees and interpreters for all sessions of this test run."""
    folder = tmp_path_factory.getbasetemp().parent / "plugin-cache"
    monkeypatch.setenv("JAGGED_CACHE", str(folder))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    return folder


@pytest.fixture
def study(pytester: pytest.Pytester) -> Study:
    """Writes `mine.yaml` (or another name) with one or more instances; keywords are its keys."""

    def write(file: str = "mine", instances: tuple[str, ...] = ("alpha",), **keys: Any) -> Path:
        for instance in instances:
            folder = pytester.path / instance
            (folder / "repo").mkdir(parents=True, exist_ok=True)
            (folder / "repo" / "counting.py").write_text(SOURCE)
            (folder / "gold.patch").write_text(GOLD)
            (folder / "issue.md").write_text('`total([1, 2])` is -3, label says "many things"\n')
            (folder / "instance.yaml").write_text(json.dumps({"id": instance, **INSTANCE}))
        value = {
            "instances": [{"path": instance} for instance in instances],
            "runs": 2,
            "agent": "gold-patch",
            "sampler": {"n_transformations": 2},
            "statistics": {"resamples": 200},
            **keys,
        }
        path = pytester.path / f"{file}.yaml"
        path.write_text(json.dumps(value))  # JSON is YAML
        return path

    return write


def command(script: str) -> dict[str, str]:
    return {"name": "command", "command": script}


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """pytest in a process of its own."""

    def start(*arguments: str | os.PathLike[str]) -> pytest.RunResult:
        quiet = ("-p", "no:cacheprovider", "-p", "no:randomly")
        return pytester.runpytest_subprocess(*quiet, *arguments, timeout=120)

    return start


def report_of(pytester: pytest.Pytester, name: str = "mine", file: str = "report.json") -> Any:
    return json.loads((pytester.path / "reports" / name / file).read_text())


def numbers(report: Any) -> Any:
    """A report without what depends on wall time, at any depth."""
    if isinstance(report, dict):
        return {key: numbers(value) for key, value in report.items() if key != "timing"}
    return [numbers(item) for item in report] if isinstance(report, list) else report
