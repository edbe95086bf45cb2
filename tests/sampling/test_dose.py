from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.sampling.dose import Dose, dose_of
from pytest_jagged.sampling.tree import SeedTree
from tests.sampling.repository import write_tree

TEN = "".join(f"line {n}\n" for n in range(10))


@pytest.mark.parametrize(
    ("after", "dose"),
    [
        (TEN, Dose(0, 10)),
        (TEN.replace("line 3", "line three"), Dose(1, 10)),
        (TEN.replace("line 3\n", "line 3\nnew\nnew\n"), Dose(2, 12)),
        (TEN.replace("line 3\n", ""), Dose(0, 9)),
        ("first\n" + TEN.replace("line 9", "line X"), Dose(2, 11)),
        ("line 5\n" + TEN.replace("line 5\n", ""), Dose(1, 10)),  # a moved line is a changed one
        ("", Dose(0, 0)),
        ("other\n" * 4, Dose(4, 4)),
    ],
)
def test_lines_that_the_seed_does_not_have(tmp_path: Path, after: str, dose: Dose) -> None:
    tree = SeedTree(write_tree(tmp_path, {"a.py": TEN}))
    assert dose_of(tree, ["a.py"], [FileEdit("a.py", after.encode())]) == dose


def test_untouched_files_count_to_the_total_and_others_do_not(tmp_path: Path) -> None:
    tree = SeedTree(write_tree(tmp_path, {"a.py": TEN, "b.py": TEN, "c.py": TEN}))
    edits = [FileEdit("a.py", b"new\n"), FileEdit("c.py", b"new\n")]
    assert dose_of(tree, ["a.py", "b.py"], edits) == Dose(1, 11)
