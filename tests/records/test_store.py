"""A record is there whole or not at all, and nothing measured is ever lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.contracts.agent import Exit, Tokens
from pytest_jagged.contracts.evaluation import Outcome, TestStatus
from pytest_jagged.contracts.record import (
    Artifacts,
    Attempt,
    PatchSummary,
    TestsSummary,
    VariantSummary,
)
from pytest_jagged.errors import StoreBusy, StoreError
from pytest_jagged.records import open_store, session_lock
from pytest_jagged.records.codec import record_from_json, record_to_json
from pytest_jagged.records.store import folder_name
from tests.records.builders import record

FULL = replace(
    record(),
    tokens=Tokens(1, 2, 3, 4),
    attempts=(Attempt(1, Exit.RATE_LIMIT, Outcome.INFRASTRUCTURE_ERROR, "429", 0.5),),
    patch=PatchSummary("d", ("a.py",), 1, 2, ("tests/t.py",), ("conftest.py",), ("x.log",)),
    tests=TestsSummary(3, 1, ("f",), ("p",), ("m",)),
    variant=VariantSummary("k", ("x",), {"x": 2}, False, True, "yes", 0.5, 0.25, ("a.py",)),
    warnings=("w",),
    versions={"python": "3.11"},
)


def test_records_survive_json() -> None:
    value = json.loads(json.dumps(record_to_json(FULL)))
    assert record_from_json(value, "here") == FULL


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 99}, "schema 99"),
        ({"outcome": "solved"}, "damaged"),
        ({"unknown": 1}, "damaged"),
        ({"case": {}}, "damaged"),
        ({"case": "x"}, "damaged"),
        ({"patch": [1]}, "record.patch is list"),
        ({"tests": "x"}, "record.tests is str"),
        ({"tokens": 5}, "record.tokens is int"),
        ({"tokens": {"input": 1}}, "record.tokens.output is missing"),
        ({"steps": "many"}, "record.steps is str"),
        ({"steps": True}, "record.steps is bool"),
        ({"attempts": [{}]}, r"record.attempts\[0\].number is missing"),
        ({"warnings": [1]}, r"record.warnings\[0\] is int"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(change: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(StoreError, match=f"here: .*{message}"):
        record_from_json({**record_to_json(FULL), **change}, "here")


def test_layout(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    files = tmp_path / "files"
    files.mkdir()
    (files / "agent.log").write_text("log")
    (files / "link").symlink_to("/etc/passwd")
    artifacts = Artifacts(
        patch=b"diff\xff",
        trajectory={"a": 1},
        tests={"t": TestStatus.PASSED},
        test_log=b"log",
        files=files,
    )
    folder = store.save(record(), artifacts)
    assert folder == tmp_path / "runs" / "thing" / "baseline-r01.thing-ba"
    names = {path.name for path in folder.iterdir()}
    expected = {"record.json", "patch.diff", "trajectory.json", "tests.json", "tests.log"}
    assert names == expected | {"agent.log"}
    assert list(store.records()) == [record()]
    assert store.find(record().case, record().key) == record()
    assert store.find(record().case, "thing-baOTHER") is None


def test_an_error_becomes_an_attempt(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    failed = record(outcome=Outcome.INFRASTRUCTURE_ERROR, detail="disk")
    store.save(failed, Artifacts())
    folder = store.save(record(), Artifacts())
    (found,) = store.records()
    assert found.outcome is Outcome.RESOLVED
    assert [(a.number, a.detail) for a in found.attempts] == [(1, "disk")]
    assert json.loads((folder / "attempt-1.json").read_text())["detail"] == "disk"


def test_artifacts_stay_with_the_record_they_are_of(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    failed = record(outcome=Outcome.GRADING_ERROR)
    store.save(failed, Artifacts(patch=b"old", trajectory=[1]))
    store.save(failed, Artifacts(patch=b"older"))
    folder = store.save(record(), Artifacts())
    assert {path.name for path in folder.iterdir()} == {
        "record.json",
        "attempt-1.json",
        "attempt-1.patch.diff",
        "attempt-1.trajectory.json",
        "attempt-2.json",
        "attempt-2.patch.diff",
    }
    assert (folder / "attempt-2.patch.diff").read_bytes() == b"older"
    assert [a.number for a in next(store.records()).attempts] == [1, 2]


def test_what_a_killed_writer_left_is_of_no_run(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    folder = store.folder(record().case, record().key)
    folder.mkdir(parents=True)
    for name in ("patch.diff", ".part-x"):
        (folder / name).write_text("half")
    assert store.save(record(), Artifacts()) == folder
    assert [path.name for path in folder.iterdir()] == ["record.json"]


def test_an_agent_cannot_write_in_the_stores_name(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for name in ("record.json", "attempt-1.json", "trajectory.json", "agent.log"):
        (files / name).write_text("mine")
    store = open_store(tmp_path / "store")
    folder = store.save(record(), Artifacts(trajectory=[1], files=files))
    assert json.loads((folder / "trajectory.json").read_text()) == [1]
    assert (folder / "agent-attempt-1.json").read_text() == "mine"
    assert list(store.records()) == [record()]


@pytest.mark.parametrize("value", [float("inf"), b"x", {"a": object()}])
def test_a_run_is_not_lost_to_its_trajectory(tmp_path: Path, value: object) -> None:
    store = open_store(tmp_path)
    folder = store.save(record(), Artifacts(trajectory=value))
    assert "Error: " in json.loads((folder / "trajectory.json").read_text())["not_json"]
    assert list(store.records()) == [record()]


def test_half_characters_are_kept_in_valid_files(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    odd = record(detail="\ud83d \udc80 ä")
    folder = store.save(odd, Artifacts())
    (folder / "record.json").read_bytes().decode("utf-8")
    assert list(store.records()) == [odd]


def test_a_measurement_is_never_overwritten_but_on_demand(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.save(record(), Artifacts())
    with pytest.raises(StoreError, match="not overwritten"):
        store.save(record(outcome=Outcome.UNRESOLVED), Artifacts())
    store.save(record(outcome=Outcome.UNRESOLVED), Artifacts(), replace_measured=True)
    (found,) = store.records()
    assert found.outcome is Outcome.UNRESOLVED
    assert len(list(tmp_path.glob("runs/*/*/attempt-1.json"))) == 1


def test_ids_as_folder_names_do_not_collide() -> None:
    ids = ["a", "a/b", "a_b", "a b", "../x", ".hidden", "x" * 300, "ä"]
    folders = {folder_name(i) for i in ids}
    assert len(folders) == len(ids)
    assert all("/" not in name and not name.startswith(".") for name in folders)


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    folder = store.save(record(), Artifacts())
    (folder / "record.json").write_text("{")
    with pytest.raises(StoreError, match=r"record\.json: cannot be read"):
        list(store.records())


def test_a_killed_writer_leaves_no_half_record(tmp_path: Path) -> None:
    """The child is killed between the artifacts and the record."""
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from pytest_jagged.contracts.record import Artifacts
        from pytest_jagged.records import store
        from tests.records.builders import record

        def die(path, value):
            os.kill(os.getpid(), signal.SIGKILL)

        store.write_json = die
        store.open_store(Path(sys.argv[1])).save(record(), Artifacts(patch=b"x"))
        """
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=root, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob("patch.diff"))) == 1
    assert list(open_store(tmp_path).records()) == []
    open_store(tmp_path).save(record(), Artifacts(patch=b"y"))
    assert list(open_store(tmp_path).records()) == [record()]


def test_a_full_disk_is_one_clear_line(small_disk: Path) -> None:
    store = open_store(small_disk)
    with pytest.raises(StoreError, match="No space left on device; free some disk space") as caught:
        store.save(record(), Artifacts(patch=bytes(200_000)))
    assert "\n" not in str(caught.value)
    assert not list(small_disk.rglob("record.json"))
    assert not list(small_disk.rglob(".part-*"))


@pytest.mark.parametrize("size", [100_000, 400_000])
def test_a_full_disk_while_files_are_moved(small_disk: Path, tmp_path: Path, size: int) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "agent.log").write_bytes(bytes(size))
    with pytest.raises(StoreError, match="free some disk space"):
        open_store(small_disk).save(record(), Artifacts(patch=bytes(100_000), files=files))
    assert not list(small_disk.rglob("record.json"))


def test_one_session_at_a_time(tmp_path: Path) -> None:
    with session_lock(tmp_path), pytest.raises(StoreBusy, match=f"process {os.getpid()} on "):  # noqa: SIM117
        with session_lock(tmp_path):
            pass
    with session_lock(tmp_path):
        pass


def test_a_killed_session_frees_its_lock(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from pytest_jagged.records import session_lock
        with session_lock(Path(sys.argv[1])):
            print("held", flush=True)
            time.sleep(60)
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy, match=f"process {child.pid} on "), session_lock(tmp_path):
            pass
        child.kill()
        child.wait()
        with session_lock(tmp_path):
            pass
