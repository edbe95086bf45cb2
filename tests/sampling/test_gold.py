from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.errors import InstanceError
from pytest_jagged.sampling.gold import gold_edits, merge_gold, overlay_edits
from tests.sampling.repository import SHOP, make_instance

EVERYTHING = """diff --git a/pkg/changed.py b/pkg/changed.py
--- a/pkg/changed.py
+++ b/pkg/changed.py
@@ -1,3 +1,3 @@
 a
-b
+B
 c
diff --git a/pkg/gone.py b/pkg/gone.py
deleted file mode 100644
--- a/pkg/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/pkg/new file.py b/pkg/new file.py
new file mode 100755
--- /dev/null
+++ b/pkg/new file.py\t
@@ -0,0 +1 @@
+new
\\ No newline at end of file
diff --git a/pkg/old.py b/pkg/moved.py
similarity index 100%
rename from pkg/old.py
rename to pkg/moved.py
"""
FILES = {"pkg/changed.py": "a\nb\nc\n", "pkg/gone.py": "x\n", "pkg/old.py": "old\n"}


def test_the_states_that_the_gold_patch_gives(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, FILES, gold_patch=EVERYTHING)
    assert gold_edits(instance) == (
        FileEdit("pkg/changed.py", b"a\nB\nc\n", executable=False),
        FileEdit("pkg/gone.py", None),
        FileEdit("pkg/moved.py", b"old\n", executable=False),
        FileEdit("pkg/new file.py", b"new", executable=True),
        FileEdit("pkg/old.py", None),
    )


def test_line_ends_stay_what_they_are(tmp_path: Path) -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\r\n"
    instance = make_instance(tmp_path, {"a.py": b"x\r\ny\r\n"}, gold_patch=patch)
    assert gold_edits(instance) == (FileEdit("a.py", b"x\r\nz\r\n", executable=False),)


def test_a_patch_that_does_not_apply_is_the_instances_fault(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, {"pkg/changed.py": "other\n"}, gold_patch=EVERYTHING)
    with pytest.raises(InstanceError, match="gold patch does not apply to the seed"):
        gold_edits(instance)


def test_no_gold_patch_no_edits(tmp_path: Path) -> None:
    assert gold_edits(make_instance(tmp_path, FILES, gold_patch="")) == ()


def test_changes_at_different_places_merge(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, SHOP)
    gold = gold_edits(instance)
    source = SHOP["shop/price.py"].encode()
    mine = FileEdit("shop/price.py", source.replace(b'"EUR"', b'"EU" "R"'))
    other = FileEdit("shop/stock.py", b"# other\n")
    merged = merge_gold(instance, (mine, other), gold)
    assert merged is not None
    contents = {edit.path: edit.content or b"" for edit in merged}
    assert contents["shop/stock.py"] == b"# other\n"
    assert b'"EU" "R"' in contents["shop/price.py"]
    assert b"amount <= 1000" in contents["shop/price.py"]


def test_changes_of_the_same_line_conflict(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, SHOP)
    source = SHOP["shop/price.py"].encode()
    mine = FileEdit("shop/price.py", source.replace(b"amount < 1000", b"1000 > amount"))
    assert merge_gold(instance, (mine,), gold_edits(instance)) is None


def test_a_file_that_gold_removes_is_removed_whatever_the_variant_did(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, FILES, gold_patch=EVERYTHING)
    merged = merge_gold(instance, (FileEdit("pkg/gone.py", b"y\n"),), gold_edits(instance))
    assert merged is not None
    assert FileEdit("pkg/gone.py", None) in merged
    assert len({edit.path for edit in merged}) == len(merged)


def test_the_later_edit_wins() -> None:
    below = (FileEdit("a", b"1"), FileEdit("b", b"1"))
    assert overlay_edits(below, (FileEdit("b", None), FileEdit("c", b"2"))) == (
        FileEdit("a", b"1"),
        FileEdit("b", None),
        FileEdit("c", b"2"),
    )
