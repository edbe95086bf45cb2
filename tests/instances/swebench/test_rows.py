"""Row files and the forms that their columns have."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged import instances
from pytest_jagged.contracts.instance import has_test_layout
from pytest_jagged.contracts.settings import InstanceEntry, ProEntry
from pytest_jagged.errors import ConfigError, InstanceError
from pytest_jagged.instances.swebench.images import derived_image, image_of, pro_image
from pytest_jagged.instances.swebench.rows import Row, read_rows
from tests.instances.swebench.material import classic_row, write_rows

DATA = Path(__file__).parents[4] / "shared" / "data" / "swebench"


def row(**values: Any) -> Row:
    return Row(Path("rows.jsonl"), {"instance_id": "a__b-1", **values})


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["a", "b"], ("a", "b")),
        ('["a", "b\\"c"]', ("a", 'b"c')),
        ("""['a', "it's"]""", ("a", "it's")),
        ("('a',)", ("a",)),
        ("", ()),
        ("[]", ()),
        (None, ()),
    ],
)
def test_lists_in_every_form(value: Any, texts: tuple[str, ...]) -> None:
    assert row(fail_to_pass=value).texts("FAIL_TO_PASS") == texts


@pytest.mark.parametrize(
    "value", ["__import__('os').getcwd()", "[a]", "['a'", "{'a': 1}", '"a"', [1], "[1]", 3]
)
def test_what_is_no_list_is_refused_and_never_evaluated(value: Any) -> None:
    with pytest.raises(InstanceError, match=r"rows\.jsonl: a__b-1: FAIL_TO_PASS is "):
        row(FAIL_TO_PASS=value).texts("FAIL_TO_PASS")


def test_texts_that_are_json_strings_are_unquoted() -> None:
    assert row(interface='"a\\nb"').unquoted("interface") == "a\nb"
    assert row(interface='"a" is not "b"').unquoted("interface") == '"a" is not "b"'
    assert row(interface="a").unquoted("interface") == "a"
    assert row().unquoted("interface") == ""


def test_files_of_every_form(tmp_path: Path) -> None:
    rows = [classic_row(), classic_row(instance_id="someone__sums-2", hints_text="a\u2028b")]
    lines = write_rows(tmp_path / "rows.jsonl", *rows)
    listed, mapped = tmp_path / "list.json", tmp_path / "map.json"
    listed.write_text(json.dumps(rows))
    mapped.write_text(json.dumps({r["instance_id"]: r for r in rows}))
    for path in (lines, listed, mapped):
        assert list(read_rows(path)) == ["someone__sums-1", "someone__sums-2"]


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    import pyarrow

    path = tmp_path / "rows.parquet"
    real_lists = classic_row(FAIL_TO_PASS=["a"], PASS_TO_PASS=["b"])
    parquet.write_table(pyarrow.Table.from_pylist([real_lists]), path)
    assert read_rows(path)["someone__sums-1"].texts("FAIL_TO_PASS") == ("a",)
    path.write_bytes(b"nothing")
    with pytest.raises(InstanceError, match="is not a parquet file"):
        read_rows(path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", classic_row())
    assert len(read_rows(path)) == 1
    write_rows(path, classic_row(), classic_row(instance_id="b"))
    os.utime(path, (1, 1))
    assert len(read_rows(path)) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "row 1 has no instance_id"),
        ("[", "is not JSON lines"),
        (json.dumps(classic_row()) + "\n" + json.dumps(classic_row()), "is in it twice"),
        (json.dumps({"instance_id": "a/b"}), "use letters, digits"),
    ],
)
def test_files_that_are_no_data_set(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(InstanceError) as caught:
        read_rows(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_ids_of_an_entry(tmp_path: Path) -> None:
    rows = [classic_row(instance_id=f"a__b-{n}") for n in range(5)]
    path = write_rows(tmp_path / "rows.jsonl", *rows)
    chosen = tmp_path / "ids.txt"
    chosen.write_text("a__b-3\na__b-1\n")
    entry = InstanceEntry(swebench=path, ids=("a__b-0",), ids_file=chosen)
    assert instances.list_ids(entry) == ("a__b-0", "a__b-1", "a__b-3")
    with pytest.raises(ConfigError, match=rf"ids: no 'x' in {path}"):
        instances.list_ids(InstanceEntry(swebench=path, ids=("x",)))


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real rows at {DATA}")
def test_real_rows_without_test_lists_say_what_they_lack(tmp_path: Path) -> None:
    path = DATA / "verified_rows" / "rows30.jsonl"
    assert len(instances.list_ids(InstanceEntry(swebench=path))) == 30
    first = read_rows(path)["sympy__sympy-12489"]
    assert "Permutation" in first.text("problem_statement")
    with pytest.raises(InstanceError, match="no column 'FAIL_TO_PASS'; use a complete copy"):
        first.texts("FAIL_TO_PASS")


def test_the_order_in_which_an_image_is_named() -> None:
    named: dict[str, Any] = {"dockerhub_tag": "t"}
    assert image_of(row(**named), "derived") == "jefzda/sweap-images:t"
    named["docker_image"] = "third"
    assert image_of(row(**named), "derived") == "third"
    named["image_name"] = "second"
    assert image_of(row(**named), "derived") == "second"
    named["image"] = "first"
    assert image_of(row(**named), "derived") == "first"
    assert image_of(row(**named), "derived", "mirror.local/{image}") == "mirror.local/first"
    assert image_of(row(), "derived") == "derived"


def test_names_by_rule() -> None:
    verified = derived_image("django__django-11099")
    assert verified == "swebench/sweb.eval.x86_64.django_1776_django-11099:latest"
    assert derived_image("Project-MONAI__MONAI-1", gym=True) == (
        "xingyaoww/sweb.eval.x86_64.project-monai_s_monai-1:latest"
    )
    fix, environment = "1" * 40, "2" * 40
    assert pro_image(f"instance_NodeBB__NodeBB-{fix}-v{environment}", "NodeBB/NodeBB") == (
        f"jefzda/sweap-images:nodebb.nodebb-NodeBB__NodeBB-{fix}-v{environment}"
    )
    assert pro_image(f"instance_a__b-{fix}-vnan", "a/b").endswith(fix)
    assert len(pro_image("instance_" + "x" * 300, "a/b").partition(":")[2]) == 128


def test_a_missing_checkout_or_file(tmp_path: Path) -> None:
    entry = InstanceEntry(swebench_pro=ProEntry(tmp_path / "none.jsonl", tmp_path))
    with pytest.raises(InstanceError, match="check the path"):
        instances.list_ids(entry)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no index of Verified at {DATA}")
def test_no_gold_file_of_verified_lies_where_tests_lie() -> None:
    """A rule by substring (`test`, `testing`, `e2e`), as upstream has it, would take 22 of them."""
    lines = (DATA / "verified_rows" / "index500.tsv").read_text("utf-8").splitlines()[1:]
    files = [name for line in lines for name in re.split("[ ,;]+", line.split("\t")[3])]
    assert len(files) == 623
    assert [name for name in files if has_test_layout(name)] == []
    assert sum("test" in name or "e2e" in name for name in files) == 22
