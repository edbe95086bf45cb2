"""SWE-bench Pro: the prompt's three parts, scripts of the instance's own, and a fix nobody sees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged import instances
from pytest_jagged.contracts.evaluation import Outcome, Patch
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import (
    AgentSettings,
    InstanceEntry,
    LimitSettings,
    ProEntry,
    StudySettings,
)
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import ConfigError, InstanceError
from pytest_jagged.evaluation.grader import Grader
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.proving import prove
from pytest_jagged.execution.study import Study
from pytest_jagged.instances.swebench.rows import read_rows
from tests.evaluation.test_collection import PARSER, RUN
from tests.instances.swebench.material import (
    GOLD,
    TEST_PATCH,
    ImagesInFolders,
    make_tree,
    write_rows,
)

FIX = "f1" * 20
ID = f"instance_someone__sums-{FIX}-v{'e2' * 20}"
DATA = Path(__file__).parents[4] / "shared" / "data" / "swebench" / "pro_instance_info"


def pro_row(**changes: Any) -> dict[str, Any]:
    return {
        "instance_id": ID,
        "repo": "someone/sums",
        "base_commit": "0" * 40,
        "patch": GOLD,
        "test_patch": TEST_PATCH,
        "problem_statement": '"total([1, 2]) gives\\n-3"',
        "requirements": "- the sum of no number is 0",
        "interface": "No new interfaces",
        "repo_language": "python",
        "fail_to_pass": "['tests/test_sums.py::test_total']",
        "pass_to_pass": "[]",
        "before_repo_set_cmd": (
            "git reset --hard 000\ngit clean -fd\ngit checkout 000\n"
            f"git checkout {FIX} -- tests/test_sums.py sums.py"
        ),
        "selected_test_files_to_run": '["tests/test_sums.py"]',
        "dockerhub_tag": "someone.sums-x",
        **changes,
    }


def make_checkout(folder: Path, run: str = RUN, parser: str = PARSER) -> Path:
    scripts = folder / "run_scripts" / ID
    scripts.mkdir(parents=True)
    (scripts / "run_script.sh").write_text(run)
    (scripts / "parser.py").write_text(parser)
    return folder


def entry_of(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> InstanceEntry:
    checkout = tmp_path / "checkout"
    if not checkout.exists():
        make_checkout(checkout)
    path = write_rows(tmp_path / "rows.jsonl", *rows)
    return InstanceEntry(swebench_pro=ProEntry(path, checkout, **options))


def load(tmp_path: Path, row: dict[str, Any]) -> tuple[Instance, ImagesInFolders]:
    provider = ImagesInFolders(make_tree(tmp_path / "tree"), tmp_path / "cache")
    instance = instances.load(
        entry_of(tmp_path, row),
        ID,
        cache=tmp_path / "cache",
        progress=lambda line: None,
        read_image=provider.image_tree,
    )
    return instance, provider


def test_what_a_row_becomes(tmp_path: Path) -> None:
    row = pro_row(before_repo_set_cmd=f"git checkout {FIX} -- tests/test_sums.py")
    instance, provider = load(tmp_path, row)
    assert provider.asked == [("jefzda/sweap-images:someone.sums-x", "/app")]
    assert instance.workdir == "/app"
    assert instance.problem_statement == (
        "total([1, 2]) gives\n-3\n\nRequirements:\n- the sum of no number is 0\n\n"
        "New interfaces introduced:\nNo new interfaces"
    )
    assert instance.pass_to_pass_pending
    assert instance.test_command == "bash {scripts}/run_script.sh tests/test_sums.py"
    limits = LimitSettings()
    proof = prove(instance, Grader(LocalProvider(limits), limits).run_tests, repeats=1)
    assert proof.problems == ()
    assert proof.pass_to_pass == ("tests/test_sums.py::test_empty",)


def test_files_that_upstream_takes_from_the_fix_are_graded_as_they_are(tmp_path: Path) -> None:
    row = pro_row(before_repo_set_cmd=f"git checkout {FIX} -- tests/old.py")
    with pytest.raises(InstanceError, match=r"names 'tests/old\.py', which test_patch does not"):
        load(tmp_path, row)


def test_the_scripts_decide_and_are_part_of_the_identity(tmp_path: Path) -> None:
    row = pro_row(before_repo_set_cmd="")
    instance, _ = load(tmp_path, row)
    script = tmp_path / "checkout" / "run_scripts" / ID / "run_script.sh"
    script.write_text(script.read_text() + "# another\n")
    (tmp_path / "tree").rename(tmp_path / "moved")
    assert load(tmp_path, row)[0].digest != instance.digest
    script.unlink()
    (tmp_path / "tree").rename(tmp_path / "moved2")
    with pytest.raises(InstanceError, match=r"run_script\.sh: No such file.*whole checkout"):
        load(tmp_path, row)


def test_a_skip_does_not_pass(tmp_path: Path) -> None:
    """With the two lists as they are, a patch that makes the suite skip would else be resolved."""
    row = pro_row(before_repo_set_cmd="", pass_to_pass="['tests/test_sums.py::test_empty']")
    instance, _ = load(tmp_path, row)
    limits = LimitSettings()
    skip = (
        "--- a/sums.py\n+++ b/sums.py\n@@ -1,1 +1,3 @@\n+import pytest\n"
        '+pytest.skip(allow_module_level=True)\n """Sums of lists."""\n'
    )
    grade = Grader(LocalProvider(limits), limits).grade(instance, None, Patch(skip.encode()))
    assert not grade.resolved


JAVASCRIPT = pro_row(
    instance_id="instance_a__b-1",
    patch="diff --git a/x.js b/x.js\n--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+b\n",
)


def settings(entry: InstanceEntry, **changes: Any) -> StudySettings:
    return StudySettings(instances=(entry,), runs=1, **changes)


def test_a_fix_that_no_transformation_reaches_is_refused(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, pro_row(), JAVASCRIPT)
    with pytest.raises(ConfigError, match=r"the fix of 1 of 2 instances is in no Python file"):
        Study.open(settings(entry), tmp_path)
    assert len(Study.open(settings(entry, conditions=("baseline",)), tmp_path).cases) == 2
    asked = entry_of(tmp_path, pro_row(), JAVASCRIPT, include_non_python=True)
    assert len(Study.open(settings(asked), tmp_path).cases) == 4


LOOK_AROUND = (
    "(env; hostname; pwd; mount; cat {task_file};"
    " git log --all; git reflog; git fsck --unreachable; grep -rI . . ; ls -la . .. ../tmp; ps -ef;"
    " id) > look 2>&1; true"
)


def test_the_agent_never_sees_the_fixs_commit(tmp_path: Path) -> None:
    row = pro_row(before_repo_set_cmd="", pass_to_pass="['tests/test_sums.py::test_empty']")
    entry = entry_of(tmp_path, row)
    provider = ImagesInFolders(make_tree(tmp_path / "tree"), tmp_path / "cache")
    study = Study.open(
        settings(
            entry,
            conditions=("baseline",),
            agent=AgentSettings("command", version="1", command=LOOK_AROUND),
        ),
        tmp_path / "reports",
        extensions=Extensions(make_provider=lambda _: provider),
    )
    record = study.run(study.cases[0], variant=None)
    assert record.outcome is Outcome.UNRESOLVED
    patch = next((study.root / "runs").glob("*/*/patch.diff")).read_text()
    assert "total([1, 2]) gives" in patch
    seen = [word for word in (FIX, "e2" * 20, ID, "test_total") if word in patch]
    assert seen == []


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no instance files at {DATA}")
def test_real_lists(tmp_path: Path) -> None:
    """Ids with blanks, brackets and quotes, as the data set's own files list them."""
    for path in sorted(DATA.glob("*.txt")):
        fields = dict(line.split(": ", 1) for line in path.read_text().splitlines() if ": " in line)
        row = pro_row(
            instance_id=path.stem,
            fail_to_pass=fields["FAIL_TO_PASS"],
            pass_to_pass=fields["PASS_TO_PASS"],
            selected_test_files_to_run=fields["Test Files"],
        )
        rows = read_rows(write_rows(tmp_path / f"{path.stem}.jsonl", row))
        read = rows[path.stem]
        assert len(read.texts("FAIL_TO_PASS")) >= 1
        files = read.texts("selected_test_files_to_run")
        assert all(re.fullmatch(r"\S+\.py", name) for name in files)
        named = {test.partition("::")[0] for test in read.texts("FAIL_TO_PASS")}
        assert named <= set(files)
