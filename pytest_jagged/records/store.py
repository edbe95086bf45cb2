"""The folder-per-run store of design section 7."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.digests import bytes_digest
from pytest_jagged.contracts.record import Artifacts, Attempt, RunRecord
from pytest_jagged.errors import StoreError
from pytest_jagged.records.atomic import disk_trouble, write_bytes, write_json
from pytest_jagged.records.codec import record_from_json, record_to_json

__all__ = ["FolderStore", "folder_name", "open_store"]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_OUR_FILES = frozenset({"record.json", "patch.diff", "tests.json", "tests.log", "trajectory.json"})


def folder_name(instance_id: str) -> str:
    """The id as a file name; ids that need a change get a digest, so that none collide."""
    safe = _UNSAFE.sub("_", instance_id)[:150].lstrip(".") or "_"
    if safe == instance_id:
        return safe
    return f"{safe}-{bytes_digest(instance_id.encode('utf-8'))[:8]}"


def open_store(root: Path) -> FolderStore:
    """The store at *root*; nothing is created before the first record."""
    return FolderStore(root)


class FolderStore:
    """`runs/<instance>/<condition>-<index>.<key8>/record.json` and the artifacts beside it.

    A run's record.json is renamed into place after its artifacts, so a folder without it is an
    interrupted write and counts as no run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, case: Case, key: str) -> Path:
        name = f"{case.condition.name}-{case.index_name}.{key[:8]}"
        return self.root / "runs" / folder_name(case.instance_id) / name

    def find(self, case: Case, key: str) -> RunRecord | None:
        """The record of exactly this key, whatever its outcome."""
        record = self._read(self.folder(case, key) / "record.json")
        return record if record is not None and record.key == key else None

    def save(
        self, record: RunRecord, artifacts: Artifacts, *, replace_measured: bool = False
    ) -> Path:
        """Write *record*; an earlier error record of the same run is kept as `attempt-<k>.json`.

        *replace_measured* is for a rerun the user asked for by name; the old record is kept too.

        Raises:
            StoreError: the run already has a measured record (a measurement is never overwritten).
        """
        folder = self.folder(record.case, record.key)
        earlier = self._read(folder / "record.json")
        if earlier is not None:
            if earlier.outcome.is_measured and not replace_measured:
                raise StoreError(f"{folder}: already holds a measured run; it is not overwritten")
            record = self._supersede(folder, earlier, record)
        else:
            _discard_leftovers(folder)
        self._write_artifacts(folder, artifacts)
        write_json(folder / "record.json", record_to_json(record))
        return folder

    def replace_verdict(self, earlier: RunRecord, record: RunRecord, artifacts: Artifacts) -> Path:
        """Put *record*, the run of *earlier* graded again, in its place; *earlier* and its results
        are kept as `graded-<k>.json`, `graded-<k>.tests.json`, `graded-<k>.tests.log`.

        Raises:
            StoreError: *earlier* is not there, or the run is there under the new key already.
        """
        folder = self.folder(earlier.case, earlier.key)
        found = self._read(folder / "record.json")
        if found is None or found.key != earlier.key:
            raise StoreError(f"{folder}: holds no record of this run; it cannot be graded again")
        target = self.folder(record.case, record.key)
        if target != folder and target.exists():
            raise StoreError(f"{target}: is there already; move one of the two away")
        number = _next_number(folder, "graded")
        write_json(folder / f"graded-{number}.json", record_to_json(earlier))
        for name in ("tests.json", "tests.log"):
            if (folder / name).exists():
                (folder / name).rename(folder / f"graded-{number}.{name}")
        self._write_artifacts(folder, artifacts)
        write_json(folder / "record.json", record_to_json(record))
        if target != folder:
            folder.rename(target)
        return target

    def artifacts(self, record: RunRecord) -> Path:
        """The folder with what was kept beside *record*."""
        return self.folder(record.case, record.key)

    def records(self) -> Iterator[RunRecord]:
        """All records, sorted by path."""
        for path in sorted((self.root / "runs").glob("*/*/record.json")):
            record = self._read(path)
            if record is not None:
                yield record

    @staticmethod
    def _read(path: Path) -> RunRecord | None:
        try:
            value = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"{path}: cannot be read ({error}); move the file away") from None
        return record_from_json(value, str(path))

    @staticmethod
    def _supersede(folder: Path, earlier: RunRecord, record: RunRecord) -> RunRecord:
        number = _next_number(folder, "attempt")
        write_json(folder / f"attempt-{number}.json", record_to_json(earlier))
        _set_aside(folder, number)
        last = Attempt(
            len(earlier.attempts) + 1,
            earlier.exit,
            earlier.outcome,
            earlier.detail,
            earlier.cost_usd,
        )
        history = (*earlier.attempts, last)
        renumbered = tuple(
            replace(attempt, number=len(history) + n)
            for n, attempt in enumerate(record.attempts, 1)
        )
        return replace(record, attempts=(*history, *renumbered))

    @staticmethod
    def _write_artifacts(folder: Path, artifacts: Artifacts) -> None:
        if artifacts.files is not None:
            _move_files(artifacts.files, folder)
        if artifacts.patch is not None:
            write_bytes(folder / "patch.diff", artifacts.patch)
        if artifacts.test_log is not None:
            write_bytes(folder / "tests.log", artifacts.test_log)
        if artifacts.trajectory is not None:
            _write_trajectory(folder / "trajectory.json", artifacts.trajectory)
        if artifacts.tests is not None:
            write_json(folder / "tests.json", _statuses(artifacts.tests))


def _next_number(folder: Path, kind: str) -> int:
    number = 1
    while (folder / f"{kind}-{number}.json").exists():
        number += 1
    return number


def _statuses(tests: Any) -> dict[str, str]:
    return {name: status.value for name, status in sorted(tests.items())}


def _write_trajectory(path: Path, trajectory: Any) -> None:
    """A measurement is not lost to what an agent says of itself: what is no JSON is said so."""
    try:
        write_json(path, trajectory)
    except (TypeError, ValueError, RecursionError) as error:
        write_json(path, {"not_json": f"{type(error).__name__}: {error}"})


def _move_files(source: Path, folder: Path) -> None:
    """The agent's own files; links are left out, since they could point anywhere."""
    for path in sorted(source.iterdir()):
        if path.is_symlink() or not path.is_file():
            continue
        ours = path.name in _OUR_FILES or path.name.startswith(("attempt-", "graded-", "."))
        target = folder / (f"agent-{path.name}" if ours else path.name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.move(path, target)
        except OSError as error:
            target.unlink(missing_ok=True)
            raise disk_trouble(target, error) from error


def _set_aside(folder: Path, number: int) -> None:
    """The artifacts of the superseded record go with it, so that none stands beside another's."""
    for path in sorted(folder.iterdir()):
        if path.name != "record.json" and not path.name.startswith("attempt-"):
            path.rename(folder / f"attempt-{number}.{path.name}")


def _discard_leftovers(folder: Path) -> None:
    """What a killed writer left without a record."""
    if folder.is_dir():
        for path in folder.iterdir():
            if not path.name.startswith("attempt-"):
                path.unlink()
