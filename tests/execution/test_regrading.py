"""Stored patches graded again: the verdict before stays beside the verdict now."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.agent import Exit
from pytest_jagged.contracts.case import ConditionKind
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import Artifacts, RunRecord
from pytest_jagged.contracts.settings import (
    AgentSettings,
    InstanceEntry,
    SamplerSettings,
    StudySettings,
)
from pytest_jagged.errors import ConfigError, StoreError
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.identity import case_key
from pytest_jagged.execution.regrading import Regraded, open_stored_study, regrade_study
from pytest_jagged.execution.run import GRADER
from pytest_jagged.execution.study import Study
from tests.instances.swebench.material import (
    ImagesInFolders,
    classic_row,
    make_tree,
    write_rows,
)

Open = Callable[[], Study]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("regrading")


@pytest.fixture
def flag(home: Path) -> Iterator[Path]:
    """While this file is there, the tests fail whatever they test."""
    yield home / "oracle-fails"
    (home / "oracle-fails").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def extensions(home: Path) -> Extensions:
    provider = ImagesInFolders(make_tree(home / "tree"), home / "cache")
    return Extensions(make_provider=lambda _: provider)


@pytest.fixture(scope="module")
def stored(home: Path, extensions: Extensions) -> Path:
    """A study of one SWE-bench row, run once in both conditions by an agent that fixes the bug."""
    script = (
        "#!/bin/bash\nset -ux\n: '>>>>> Start Test Output'\n"
        f"[ ! -e {home}/oracle-fails ]"
        " && python -m pytest -rA -p no:cacheprovider tests/test_sums.py"
        " || { echo 'FAILED tests/test_sums.py::test_total'; false; }\n: '>>>>> End Test Output'\n"
    )
    row = classic_row(eval_script=script, log_parser="parse_log_pytest", image="x")
    fix = "sed -i 's/result - number/result + number/' sums.py"
    settings = StudySettings(
        instances=(InstanceEntry(swebench=write_rows(home / "rows.jsonl", row)),),
        name="stored",
        runs=1,
        agent=AgentSettings("command", version="1", command=fix),
        sampler=SamplerSettings(transformations=("dead_code_injector",), n_transformations=1),
    )
    study = Study.open(settings, home / "reports", extensions=extensions)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JAGGED_CACHE", str(home / "cache"))
        study.prepare(lambda line: None)
        for case in study.cases:
            perturbed = case.condition.kind is ConditionKind.PERTURBED
            variant = study.variant(case.instance_id, case.index) if perturbed else None
            study.run(case, variant=variant)
    return study.root


@pytest.fixture
def finished(
    stored: Path, home: Path, extensions: Extensions, tmp_path: Path, monkeypatch: Any
) -> Open:
    """Opens a copy of the stored study anew, as each command does."""
    monkeypatch.setenv("JAGGED_CACHE", str(home / "cache"))
    root = shutil.copytree(stored, tmp_path / "reports" / "stored")
    return lambda: open_stored_study(root, extensions)


def records(study: Study) -> dict[str, RunRecord]:
    return {record.case.item_name: record for record in study.store.records()}


def regrade(study: Study) -> list[Regraded]:
    return list(regrade_study(study, lambda line: None))


def test_verdicts_that_hold(finished: Open) -> None:
    before = records(finished())
    assert {r.outcome for r in before.values()} == {Outcome.RESOLVED}
    assert before["perturbed[v01]"].variant is not None
    found = regrade(finished())
    assert [(one.now, one.changed) for one in found] == [(Outcome.RESOLVED, False)] * 2
    after = records(finished())
    assert {name: r.key for name, r in after.items()} == {n: r.key for n, r in before.items()}
    assert after["baseline[r01]"].warnings == ("graded again; was resolved",)


def test_a_verdict_that_changes_stands_beside_the_earlier_one(finished: Open, flag: Path) -> None:
    flag.touch()
    found = regrade(finished())
    assert [one.changed for one in found] == [True, True]
    study = finished()
    record = records(study)["baseline[r01]"]
    assert record.outcome is Outcome.UNRESOLVED
    assert record.tests is not None
    assert record.tests.failed_fail_to_pass == ("tests/test_sums.py::test_total",)
    folder = study.store.artifacts(record)
    assert json.loads((folder / "graded-1.json").read_text())["outcome"] == "resolved"
    assert "test_empty" in (folder / "graded-1.tests.json").read_text()
    assert "test_empty" not in (folder / "tests.json").read_text()
    assert (folder / "patch.diff").exists()
    flag.unlink()
    assert [one.now for one in regrade(finished())] == [Outcome.RESOLVED] * 2
    assert (folder / "graded-2.json").exists()
    assert study.stored(record.case) is not None


def test_runs_of_an_earlier_grader_become_runs_of_this_one(finished: Open) -> None:
    study = finished()
    record = records(study)["baseline[r01]"]
    identity = {**study.grader.identity(), "rules": "0"}
    old = replace(
        record,
        key=case_key(study, record.case, identity),
        versions={**record.versions, GRADER: json.dumps(identity)},
    )
    study.store.replace_verdict(record, old, Artifacts())
    assert study.stored(record.case) is None
    assert [one.now for one in regrade(finished())] == [Outcome.RESOLVED] * 2
    again = finished()
    found = again.stored(record.case)
    assert found is not None
    assert found.key == record.key
    assert len(records(again)) == 2


def test_what_another_study_ran_is_left_alone(finished: Open) -> None:
    study = finished()
    record = records(study)["baseline[r01]"]
    study.store.replace_verdict(record, replace(record, key="0" * 64), Artifacts())
    (one,) = [one for one in regrade(finished()) if one.item == "baseline[r01]"]
    assert one.now is None
    assert "another instance, agent, variant or settings" in one.detail
    assert records(finished())["baseline[r01]"].key == "0" * 64


def test_a_patch_that_was_changed_is_not_graded(finished: Open) -> None:
    study = finished()
    record = records(study)["baseline[r01]"]
    (study.store.artifacts(record) / "patch.diff").write_bytes(b"another")
    found = {one.item: one for one in regrade(finished())}
    assert found["baseline[r01]"].now is None
    assert "was changed since it was recorded" in found["baseline[r01]"].detail
    assert found["perturbed[v01]"].now is Outcome.RESOLVED


@pytest.mark.parametrize("exit_", [Exit.RATE_LIMIT, None])
def test_runs_that_no_grader_decides_are_passed_over(finished: Open, exit_: Exit | None) -> None:
    study = finished()
    record = records(study)["baseline[r01]"]
    study.store.replace_verdict(record, replace(record, exit=exit_), Artifacts())
    assert [one.item for one in regrade(finished())] == ["perturbed[v01]"]


def test_swebenchs_own_parsers_are_asked_for_by_name(finished: Open) -> None:
    from pytest_jagged.evaluation.log_parsers.swebench import swebench_version

    study = finished()
    if swebench_version() is None:
        with pytest.raises(ConfigError, match=r"pip install 'pytest-jagged\[swebench\]'"):
            list(regrade_study(study, lambda line: None, swebench_parsers=True))
    else:
        found = list(regrade_study(study, lambda line: None, swebench_parsers=True))
        assert [one.changed for one in found] == [False, False]
    assert not list((study.root / "runs").rglob("graded-*"))


def test_a_folder_that_is_no_study(tmp_path: Path, finished: Open) -> None:
    with pytest.raises(StoreError, match="name a folder that a study wrote"):
        open_stored_study(tmp_path)
    root = finished().root
    moved = root.rename(root.with_name("other"))
    with pytest.raises(StoreError, match="rename the folder back"):
        open_stored_study(moved)
