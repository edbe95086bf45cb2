"""The README's first command on its five instances: what a newcomer must see, on fewer runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [pytest.mark.slow, pytest.mark.network]


def session(reports: Path, *arguments: str) -> str:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
            *("--jagged-config=instances/quickstart.yaml", f"--jagged-reports={reports}"),
            *("-n", "2", *arguments),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    text = done.stdout + done.stderr
    if done.returncode == 4 and "package index" in text:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, text
    return text


def report_of(reports: Path) -> Any:
    return json.loads((reports / "quickstart" / "report.json").read_text())


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    reports = tmp_path_factory.mktemp("quickstart")
    return reports, session(reports, "--jagged-runs=2")


def test_the_oracle_solves_every_baseline_and_fewer_variants(finished: tuple[Path, str]) -> None:
    reports, text = finished
    report = report_of(reports)
    instances = report["configurations"][0]["instances"]
    assert [i["id"] for i in instances] == [
        *("humanize", "isodate", "sqlparse", "stockroom", "timetable")
    ]
    assert [i["baseline"]["resolved"] for i in instances] == [2] * 5
    assert sum(i["perturbed"]["resolved"] for i in instances) < 10
    assert report["configurations"][0]["degradation"]["mean_pp"] > 0
    assert "mean degradation" in text
    assert "95% CI" in text
    assert "add no variance" in text
    assert "cost unknown" in text
    assert "isolation: none" in text
    assert "nan" not in text.lower().replace("finance", "")


def test_every_variant_that_ran_has_a_certificate(finished: tuple[Path, str]) -> None:
    store = finished[0] / "quickstart"
    ran = 0
    for path in store.glob("runs/*/perturbed-*/record.json"):
        record = json.loads(path.read_text())
        instance, index = record["case"]["instance"], record["case"]["index"]
        key = record["variant"]["key"]
        (certificate,) = store.glob(f"variants/{instance}/v{index:02d}.{key[:8]}.json")
        assert json.loads(certificate.read_text())
        ran += 1
    assert ran == 10


def test_again_reuses_every_run(finished: tuple[Path, str]) -> None:
    before = report_of(finished[0])
    text = session(finished[0], "--jagged-runs=2")
    assert "20 runs: 20 reused, 0 to do" in text
    assert report_of(finished[0]) == before


def test_stored_records_alone_give_the_same_report(
    finished: tuple[Path, str], tmp_path: Path
) -> None:
    out = tmp_path / "again.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest_jagged", "report", str(finished[0] / "quickstart")),
            *("--json", str(out)),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "mean degradation" in done.stdout
    assert json.loads(out.read_text()) == report_of(finished[0])


def test_noop_solves_nothing(tmp_path: Path) -> None:
    study = tmp_path / "noop.yaml"
    paths = [str(ROOT / "instances" / name) for name in ("stockroom", "timetable")]
    study.write_text(json.dumps({"instances": paths, "agent": "noop", "runs": 1}))
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
            *(f"--jagged-config={study}", f"--jagged-reports={tmp_path}", "-q"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    report = json.loads((tmp_path / "noop" / "report.json").read_text())
    for instance in report["configurations"][0]["instances"]:
        assert instance["baseline"]["resolved"] == instance["perturbed"]["resolved"] == 0
