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
