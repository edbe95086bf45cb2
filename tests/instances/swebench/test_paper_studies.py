"""The two study files that set up the paper's configurations, given the data sets' rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_jagged import instances
from pytest_jagged.config import load_study
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.execution.study import Study
from tests.instances.swebench.material import classic_row, write_rows
from tests.instances.swebench.test_pro import JAVASCRIPT, pro_row

FOLDER = Path(__file__).parents[3] / "instances"
PAPER = Path(__file__).parents[4] / "shared" / "data" / "paper"
NOT_PYTHON = ("NodeBB", "element-hq", "flipt-io", "tutao")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files beside small data sets of the same ids; settings that this version cannot act on
    are let through.
    """
    monkeypatch.setattr("pytest_jagged.config.load.check_availability", lambda file, study: None)
    for path in FOLDER.glob("paper_*"):
        shutil.copy(path, tmp_path)
    verified = [classic_row(instance_id=name) for name in ids("paper_verified_ids.txt")]
    write_rows(tmp_path / "verified.jsonl", classic_row(), *verified)
    pro = []
    for name in ids("paper_pro_ids.txt"):
        fix = JAVASCRIPT["patch"] if any(word in name for word in NOT_PYTHON) else None
        row = pro_row(instance_id=name)
        pro.append({**row, "patch": fix or row["patch"]})
    write_rows(tmp_path / "pro.jsonl", pro_row(), *pro)
    (tmp_path / "SWE-bench_Pro-os").mkdir()
    return tmp_path


def ids(name: str) -> list[str]:
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("benchmark", "count"), [("verified", 28), ("pro", 26)])
def test_the_configuration_is_the_papers(folder: Path, benchmark: str, count: int) -> None:
    study = load_study(folder / f"paper_{benchmark}.yaml")
    assert isinstance(study, StudySettings)
    (entry,) = study.instances
    found = instances.list_ids(entry)
    assert len(found) == count
    assert set(found) == set(ids(f"paper_{benchmark}_ids.txt"))
    assert (study.runs, study.conditions) == (20, ("baseline", "perturbed"))
    limits = study.limits
    assert (limits.steps, limits.cost_usd, limits.command_s) == (250, 3, 60)
    assert not limits.grade_on_limit
    sampler = study.sampler
    drawn = (sampler.n_transformations, sampler.n_keywords, sampler.n_files, sampler.site_fraction)
    assert drawn == (3, 5, 10, 0.7)
    assert sampler.keywords.source == "model"
    assert (study.statistics.resamples, study.statistics.seed) == (20000, 0)
    assert study.environment.backend == "docker"
    assert study.model is not None
    assert study.model.temperature == 1.0


def test_the_plan_of_both(folder: Path) -> None:
    for benchmark, runs in (("verified", 28 * 40), ("pro", 26 * 40)):
        study = load_study(folder / f"paper_{benchmark}.yaml")
        assert len(Study.open(study, folder).cases) == runs


@pytest.mark.skipif(not PAPER.is_dir(), reason=f"no data of the paper at {PAPER}")
@pytest.mark.parametrize("benchmark", ["verified", "pro"])
def test_the_ids_are_the_papers(benchmark: str) -> None:
    published = (PAPER / f"instances_{benchmark}.txt").read_text("utf-8").split()
    assert ids(f"paper_{benchmark}_ids.txt") == published
