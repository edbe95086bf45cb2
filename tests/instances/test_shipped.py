"""The five instances of the quickstart study, and the toy of the demo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jagged import demo, instances
from pytest_jagged.config import load_study
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import InstanceEntry
from pytest_jagged.instances.lock_file import read_lock

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "instances" / "quickstart.yaml"
WHOLE = [ROOT / "instances" / "stockroom", ROOT / "instances" / "timetable"]
TOY = demo.STUDY.parent / "instance"
RELEASES = {
    # id: files of the fix, graded test files, pass-to-pass tests
    "isodate": (1, 0, 16),
    "humanize": (2, 2, 629),
    "sqlparse": (8, 5, 449),
}


def load(folder: Path) -> Instance:
    return instances.load(
        InstanceEntry(path=folder), folder.name, cache=instances.cache_root(), progress=print
    )


def test_quickstart_names_all_five() -> None:
    study = load_study(QUICKSTART)
    ids = [name for entry in study.instances for name in instances.list_ids(entry)]
    assert ids == ["stockroom", "timetable", "isodate", "humanize", "sqlparse"]
    assert (study.runs, study.agent.name, study.session.concurrency) == (4, "gold-patch", 2)


def test_demo_names_the_toy() -> None:
    study = load_study(demo.STUDY)
    assert [instances.list_ids(entry) for entry in study.instances] == [("tally",)]
    assert (study.environment.backend, study.agent.name) == ("local", "gold-patch")


@pytest.mark.parametrize("folder", [*WHOLE, TOY], ids=lambda path: path.name)
def test_issue_names_its_keywords(folder: Path) -> None:
    from pytest_jagged.instances.description import read_description

    keywords = read_description(folder).keywords
    issue = (folder / "issue.md").read_text("utf-8")
    assert keywords is not None
    assert keywords.methods
    assert keywords.literals
    for word in (*keywords.methods, *keywords.literals):
        assert word in issue


@pytest.mark.parametrize("name", [*RELEASES, "stockroom", "timetable"])
def test_proven_on_every_supported_python(name: str) -> None:
    lock = read_lock(ROOT / "instances" / name)
    assert lock is not None
    assert lock.pythons == ("3.10", "3.11", "3.12", "3.13")
    assert lock.flaky == ()
    assert lock.pass_to_pass


def test_nothing_of_a_package_is_kept() -> None:
    for name in RELEASES:
        files = {path.name for path in (ROOT / "instances" / name).rglob("*") if path.is_file()}
        assert files == {"instance.yaml", "issue.md", "instance.lock.json"}


@pytest.mark.network
@pytest.mark.parametrize("folder", [*WHOLE, TOY], ids=lambda path: path.name)
def test_whole_instances_fit_their_lock(folder: Path) -> None:
    entry = InstanceEntry(path=folder)
    (name,) = instances.list_ids(entry)
    instance = instances.load(entry, name, cache=instances.cache_root(), progress=print)
    assert instance.proven
    assert not instance.pass_to_pass_pending


@pytest.mark.network
@pytest.mark.parametrize(("name", "counts"), RELEASES.items())
def test_release_pairs_are_as_known(name: str, counts: tuple[int, int, int]) -> None:
    instance = load(ROOT / "instances" / name)
    assert instance.proven
    found = (len(instance.gold_files), len(instance.overlay), len(instance.pass_to_pass))
    assert found == counts


@pytest.mark.network
@pytest.mark.slow
def test_check_holds_on_all() -> None:
    folders = [*WHOLE, TOY, *(ROOT / "instances" / name for name in RELEASES)]
    before = [(folder / "instance.lock.json").read_bytes() for folder in folders]
    done = subprocess.run(
        [sys.executable, "-m", "pytest_jagged", "check", "--repeats", "1", *map(str, folders)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" valid\n") == 6
    assert [(folder / "instance.lock.json").read_bytes() for folder in folders] == before
