"""A small tree that stands in an image, and rows about it in the forms of several data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.environment import ImageTree
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.instances.tree import store_seed

__all__ = ["GOLD", "TEST_PATCH", "ImagesInFolders", "classic_row", "make_tree", "write_rows"]

SOURCE = '''"""Sums of lists."""


def total(numbers):
    result = 0
    for number in numbers:
        result = result - number
    return result
'''
TESTS = """from sums import total


def test_empty():
    assert total([]) == 0
"""
GOLD = """diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -4,5 +4,5 @@
 def total(numbers):
     result = 0
     for number in numbers:
-        result = result - number
+        result = result + number
     return result"""
TEST_PATCH = """diff --git a/tests/data/numbers.json b/tests/data/numbers.json
new file mode 100644
--- /dev/null
+++ b/tests/data/numbers.json
@@ -0,0 +1 @@
+[1, 2]
diff --git a/tests/old_test.py b/tests/old_test.py
deleted file mode 100644
--- a/tests/old_test.py
+++ /dev/null
@@ -1 +0,0 @@
-def test_old(): pass
diff --git a/tests/test_sums.py b/tests/test_sums.py
--- a/tests/test_sums.py
+++ b/tests/test_sums.py
@@ -3,3 +3,7 @@

 def test_empty():
     assert total([]) == 0
+
+
+def test_total():
+    assert total([1, 2]) == 3
"""


def make_tree(folder: Path, *, clean: bool = False) -> Path:
    """The tree with its bug, or *clean* (with its tests) as in an image of SWE-smith."""
    (folder / "tests").mkdir(parents=True)
    source = SOURCE.replace("result - number", "result + number") if clean else SOURCE
    tests = TESTS + "\n\ndef test_total():\n    assert total([1, 2]) == 3\n" if clean else TESTS
    (folder / "sums.py").write_text(source)
    (folder / "tests" / "test_sums.py").write_text(tests)
    (folder / "tests" / "old_test.py").write_text("def test_old(): pass\n")
    return folder


def classic_row(**changes: Any) -> dict[str, Any]:
    """The twelve columns of SWE-bench's first form, all of them texts."""
    return {
        "repo": "someone/sums",
        "instance_id": "someone__sums-1",
        "base_commit": "0" * 40,
        "patch": GOLD,
        "test_patch": TEST_PATCH,
        "problem_statement": "total([1, 2]) gives -3",
        "hints_text": "",
        "created_at": "2024-01-01",
        "version": "1.0",
        "FAIL_TO_PASS": '["tests/test_sums.py::test_total"]',
        "PASS_TO_PASS": '["tests/test_sums.py::test_empty"]',
        "environment_setup_commit": "0" * 40,
        **changes,
    }


def write_rows(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class ImagesInFolders(LocalProvider):
    """The local environment, with trees that lie in folders in place of images."""

    def __init__(self, tree: Path, cache: Path) -> None:
        super().__init__(LimitSettings())
        self._tree, self._cache = tree, cache
        self.asked: list[tuple[str, str]] = []

    def image_tree(self, image: str, workdir: str, env: Mapping[str, str]) -> ImageTree:
        self.asked.append((image, workdir))
        seed, digest = store_seed(self._tree, self._cache)
        minor = sys.version_info[0], sys.version_info[1]
        fast = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return ImageTree(seed, digest, "sha256:1", sys.executable, minor, fast)
