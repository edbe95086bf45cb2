"""Rows as instances that are graded: the unchanged tree fails, the fix passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_jagged import instances
from pytest_jagged.contracts.instance import Instance, ResultsMode
from pytest_jagged.contracts.settings import InstanceEntry, LimitSettings
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import ConfigError, InstanceError
from pytest_jagged.evaluation.grader import Grader
from pytest_jagged.execution.checking import check_entry
from pytest_jagged.execution.proving import prove
from tests.instances.swebench.material import (
    TEST_PATCH,
    ImagesInFolders,
    classic_row,
    make_tree,
    write_rows,
)

BUG = """diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -6,3 +6,3 @@
     for number in numbers:
-        result = result + number
+        result = result - number
     return result
"""
EVAL_SCRIPT = f"""#!/bin/bash
set -uxo pipefail
source /nowhere/activate
cd /testbed
git config --global --add safe.directory /testbed
git status
git -c core.fileMode=false diff 0000
git checkout 0000 tests/test_sums.py
git apply -v - <<'EOF_114329324912'
{TEST_PATCH}
EOF_114329324912
: '>>>>> Start Test Output'
python -m pytest -rA -p no:cacheprovider tests/test_sums.py
: '>>>>> End Test Output'
git checkout 0000 tests/test_sums.py
"""


def load(tmp_path: Path, row: dict[str, Any], *, clean: bool = False) -> Instance:
    provider = ImagesInFolders(make_tree(tmp_path / "tree", clean=clean), tmp_path / "cache")
    return instances.load(
        InstanceEntry(swebench=write_rows(tmp_path / "rows.jsonl", row)),
        row["instance_id"],
        cache=tmp_path / "cache",
        progress=lambda line: None,
        read_image=provider.image_tree,
    )


def check(instance: Instance) -> None:
    limits = LimitSettings()
    proof = prove(instance, Grader(LocalProvider(limits), limits).run_tests, repeats=1)
    assert proof.problems == ()


def test_a_classic_row_of_any_project(tmp_path: Path) -> None:
    instance = load(tmp_path, classic_row())
    assert instance.results.mode is ResultsMode.PYTEST
    assert instance.image == "swebench/sweb.eval.x86_64.someone_1776_sums-1:latest"
    assert (instance.workdir, instance.gold_files) == ("/testbed", ("sums.py",))
    edits = {edit.path: edit.content for edit in instance.overlay}
    assert edits["tests/old_test.py"] is None
    assert edits["tests/data/numbers.json"] == b"[1, 2]\n"
    assert instance.test_command.endswith("pytest -p no:cacheprovider tests/test_sums.py")
    assert instance.is_test_file("tests/data/numbers.json")
    assert not instance.is_test_file("sums.py")
    check(instance)


def test_a_row_of_the_fifth_form(tmp_path: Path) -> None:
    row = classic_row(
        image="swebench/its.image:latest",
        eval_script=EVAL_SCRIPT,
        log_parser="parse_log_pytest",
        eval_type="pass_and_fail",
        FAIL_TO_PASS=["tests/test_sums.py::test_total"],
        PASS_TO_PASS=["tests/test_sums.py::test_empty"],
    )
    instance = load(tmp_path, row)
    assert instance.image == "swebench/its.image:latest"
    assert instance.results.argument == "parse_log_pytest"
    command = instance.test_command
    assert [line for line in command.splitlines() if line.startswith("git")] == [
        "git config --global --add safe.directory /testbed"
    ]
    assert "test_total" not in command
    assert command.endswith("exit $test_exit_code")
    check(instance)


def test_swe_rebench(tmp_path: Path) -> None:
    config = {
        "python": "3.9",
        "install": "true",
        "test_cmd": ["true", "python -m pytest -rA -p no:cacheprovider"],
        "log_parser": "parse_log_pytest",
    }
    row = classic_row(install_config=config, docker_image="swerebench/x", PASS_TO_PASS=["a"])
    row["PASS_TO_PASS"] = ["tests/test_sums.py::test_empty"]
    instance = load(tmp_path, row)
    assert instance.image == "swerebench/x"
    assert "\ntrue\n" in instance.test_command
    check(instance)


def test_swe_gym_has_images_of_its_own(tmp_path: Path) -> None:
    row = classic_row()
    del row["environment_setup_commit"]
    assert load(tmp_path, row).image == "xingyaoww/sweb.eval.x86_64.someone_s_sums-1:latest"


def test_swe_smith_puts_the_bug_in(tmp_path: Path) -> None:
    row = {
        "instance_id": "someone__sums.abc.func_1",
        "repo": "swesmith/someone__sums.abc",
        "image_name": "jyangballin/swesmith.x86_64.someone_1776_sums.abc",
        "patch": BUG,
        "FAIL_TO_PASS": ["tests/test_sums.py::test_total"],
        "PASS_TO_PASS": ["tests/test_sums.py::test_empty"],
        "problem_statement": "total([1, 2]) gives -3",
    }
    instance = load(tmp_path, row, clean=True)
    assert "result - number" in (instance.seed / "sums.py").read_text()
    assert not (instance.seed / "tests" / "test_sums.py").exists()
    assert {edit.path for edit in instance.seed_edits} == {"sums.py", "tests/test_sums.py"}
    assert "+        result = result + number" in instance.gold_patch
    assert [edit.path for edit in instance.overlay] == ["tests/test_sums.py"]
    check(instance)


@pytest.mark.parametrize(
    ("repo", "version", "command", "parser", "install"),
    [
        (
            "django/django",
            "3.1",
            "runtests.py --verbosity 2 --settings=test_sqlite",
            "django",
            "-e",
        ),
        ("sympy/sympy", "1.0", "bin/test -C --verbose tests/test_sums.py", "sympy", "-e ."),
        ("astropy/astropy", "1.3", "pytest -rA -vv -o console_output", "astropy", "-e .[test]"),
        ("astropy/astropy", "v5.3", "pytest -rA tests/test_sums.py", "astropy", "-e .[test]"),
        ("matplotlib/matplotlib", "3.10", "pytest -rA tests", "matplotlib", '-e ".[dev]"'),
        ("psf/requests", "2.0", "pytest -rA tests", "requests", "pip install .\n"),
        ("sphinx-doc/sphinx", "4.1", "tox --current-env -epy39 -v -- tests", "sphinx", "[test]"),
    ],
)
def test_projects_of_swe_bench(
    tmp_path: Path, repo: str, version: str, command: str, parser: str, install: str
) -> None:
    instance = load(tmp_path, classic_row(repo=repo, version=version))
    assert instance.results.mode is ResultsMode.PARSER
    assert instance.results.argument == parser
    assert command in instance.test_command
    assert install in instance.test_command
    assert instance.image == "swebench/sweb.eval.x86_64.someone_1776_sums-1:latest"


def test_django_takes_labels(tmp_path: Path) -> None:
    instance = load(tmp_path, classic_row(repo="django/django", version="4.0"))
    assert "--parallel 1 test_sums\n" in instance.test_command


def test_an_empty_list_is_found_by_checking(tmp_path: Path) -> None:
    row = classic_row(PASS_TO_PASS="[]")
    assert load(tmp_path, row).pass_to_pass_pending
    provider = ImagesInFolders(tmp_path / "tree", tmp_path / "cache")
    entry = InstanceEntry(swebench=tmp_path / "rows.jsonl")
    limits = LimitSettings()
    (checked,) = check_entry(entry, provider, limits, repeats=1, progress=lambda line: None)
    assert checked.valid
    assert checked.pass_to_pass == ("tests/test_sums.py::test_empty",)
    assert (checked.flaky, checked.lock) == ((), None)


def test_the_image_itself_is_part_of_the_identity(tmp_path: Path) -> None:
    one = load(tmp_path / "a", classic_row())
    other = load(tmp_path / "b", classic_row(docker_image="another"))
    assert one.seed_digest == other.seed_digest
    assert one.digest != other.digest


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"test_patch": TEST_PATCH.replace("total([])", "total(())")}, "test_patch does not apply"),
        ({"test_patch": None}, "no column 'test_patch'; use a complete copy"),
        ({"patch": "nothing"}, "patch changes no file"),
        ({"FAIL_TO_PASS": "[]"}, "FAIL_TO_PASS names no test"),
        ({"image_assets": '{"patch": [{"path": "a.png"}]}'}, "image_assets are not supported"),
        ({"problem_statement": " "}, "problem_statement is empty"),
        (
            {"eval_script": EVAL_SCRIPT.replace("git status", "true && git stash")},
            "'true && git stash' would undo what is graded",
        ),
        ({"eval_type": "fail_only"}, "'fail_only' is not supported"),
        ({"eval_script": "pytest", "log_parser": "x"}, "no test command between its marks"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InstanceError, match=says) as caught:
        load(tmp_path, classic_row(**changes))
    assert str(caught.value).startswith(f"{tmp_path / 'rows.jsonl'}: someone__sums-1: ")


def test_a_local_environment_says_what_is_missing(tmp_path: Path) -> None:
    entry = InstanceEntry(swebench=write_rows(tmp_path / "rows.jsonl", classic_row()))
    with pytest.raises(ConfigError, match=r"environment local has no images; set environment\.b"):
        instances.load(
            entry,
            "someone__sums-1",
            cache=tmp_path,
            progress=lambda line: None,
            read_image=LocalProvider(LimitSettings()).image_tree,
        )
