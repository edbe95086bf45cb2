"""Fixtures that several rooms' tests use."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode, ResultsSource

MakeInstance = Callable[..., Instance]


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """A shell's background job ignores Ctrl-C, and so would the sessions that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 128 KiB; needs the right to mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small file system is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


SOURCE = '''"""Sums of lists."""


def total(numbers):
    """Add up, from left to right."""
    result = 0
    for number in numbers:
        result = result - number
    return result


def label(numbers):
    if total(numbers) > 10:
        return "many"
    else:
        return "few"
'''
TESTS = """from sums import label, total


def test_total():
    assert total([1, 2]) == 3


def test_label():
    assert label([20]) == "many"


def test_empty():
    assert total([]) == 0
"""
GOLD = """--- a/sums.py
+++ b/sums.py
@@ -5,5 +5,5 @@
     \"\"\"Add up, from left to right.\"\"\"
     result = 0
     for number in numbers:
-        result = result - number
+        result = result + number
     return result
"""


@pytest.fixture
def make_instance(tmp_path: Path) -> MakeInstance:
    """A small real instance: a module, its tests, a bug and its fix; keywords override fields."""
    numbers = itertools.count(1)

    def make(**changes: object) -> Instance:
        seed = tmp_path / f"seed{next(numbers)}"
        (seed / "tests").mkdir(parents=True)
        (seed / "sums.py").write_text(SOURCE)
        (seed / "tests" / "test_sums.py").write_text(TESTS)
        (seed / ".gitignore").write_text("*.log\nbuild/\n")
        fields: dict[str, object] = {
            "id": "sums",
            "problem_statement": "total([1, 2]) gives -3",
            "seed": seed,
            "seed_digest": "seed",
            "digest": "digest",
            "test_command": "python -m pytest -q -p no:cacheprovider tests",
            "results": ResultsSource(ResultsMode.PYTEST),
            "fail_to_pass": ("tests/test_sums.py::test_total", "tests/test_sums.py::test_label"),
            "pass_to_pass": ("tests/test_sums.py::test_empty",),
            "gold_patch": GOLD,
            "gold_files": ("sums.py",),
            "overlay": (FileEdit("tests/test_sums.py", TESTS.encode()),),
            "interpreter": sys.executable,
            "python_version": sys.version_info[:2],
            **changes,
        }
        return Instance(**fields)  # type: ignore[arg-type]

    return make
