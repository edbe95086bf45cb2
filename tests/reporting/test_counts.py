"""Tables of counts: the paper's own becomes the paper's own report; bad ones say where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.__main__ import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "paper"
HEAD = "instance_id,baseline_n,baseline_resolved,perturbed_n,perturbed_resolved"
COST = f"{HEAD},baseline_cost_mean,perturbed_cost_mean"

published = pytest.mark.skipif(
    not DATA.is_dir(), reason="the published counts are not beside the checkout"
)


def counts(folder: Path, text: str) -> tuple[int, Any]:
    """Exit status and report of `jagged counts`."""
    table, out = folder / "t.csv", folder / "out.json"
    table.write_text(text)
    status = main(["counts", str(table), "--json", str(out)])
    return status, json.loads(out.read_text()) if out.exists() else None


@published
def test_the_papers_report(tmp_path: Path) -> None:
    """Eight configurations: means, both intervals, p-values, effort, 216 Newcombe intervals."""
    out = tmp_path / "out.json"
    assert main(["counts", str(DATA / "counts.csv"), "--json", str(out)]) == 0
    report = json.loads(out.read_text())
    experiments = json.loads((DATA / "statistics.json").read_text())["experiments"]
    found = {(c["scaffold"], c["model"], c["benchmark"]): c for c in report["configurations"]}
    assert len(found) == len(experiments) == 8
    intervals = 0
    for experiment in experiments:
        c = found[experiment["scaffold"], experiment["model"], experiment["benchmark"]]
        check_degradation(c["degradation"], experiment["statistics"])
        check_effort(c["effort"], experiment["statistics"])
        for row in c["instances"]:
            figures = [row["degradation_pp"], *row["interval_pp"]]
            expected = experiment["per_instance_newcombe"][row["id"]]
            assert [round(x / 100, 4) for x in figures] == expected
            intervals += 1
    assert intervals == 216
    assert report["planned"] == sum(sum(c.values()) for c in report["outcomes"].values()) == 8640


def check_degradation(ours: Any, theirs: Any) -> None:
    fixed, resampled = theirs["degradation_binomial_ci"], theirs["degradation_ci"]
    assert round(ours["mean_pp"], 4) == fixed["mean_pp"]
    assert [round(x, 4) for x in ours["interval_pp"]] == [
        fixed["ci_lower_pp"],
        fixed["ci_upper_pp"],
    ]
    assert [round(x, 4) for x in ours["new_instances_interval_pp"]] == [
        resampled["ci_lower_pp"],
        resampled["ci_upper_pp"],
    ]
    assert round(ours["sign_flip_p"], 6) == theirs["sign_flip_pvalue"]
    assert ours["estimand"] == "these instances, new runs"
    assert ours["new_instances_estimand"] == "new instances too"


def check_effort(ours: Any, theirs: Any) -> None:
    """Within the rounding of the published means, and over as many instances."""
    for name, key in (
        ("steps", "step_delta_ci"),
        ("cost", "cost_delta_ci"),
        ("steps_resolved", "step_delta_resolved_ci"),
        ("cost_resolved", "cost_delta_resolved_ci"),
    ):
        assert ours[name]["mean_pct"] == pytest.approx(theirs[key]["mean_pct"], abs=0.011)
        assert ours[name]["instances"] == theirs[key]["n_instances"]
        assert ours[name]["interval_pct"] is None
        assert "means only" in ours[name]["reason"]


def test_figures_that_need_no_file(tmp_path: Path) -> None:
    """Newcombe by definition, and two exclusions by name."""
    rows = ["a,20,20,20,10", "b,20,15,20,10", "c,20,20,0,0", "d,5,3,,"]
    status, report = counts(tmp_path, "\n".join([HEAD, *rows]))
    assert status == 0
    (c,) = report["configurations"]
    intervals = {row["id"]: row["interval_pp"] for row in c["instances"]}
    assert intervals["a"] == pytest.approx([24.2624, 70.0702], abs=5e-5)
    assert intervals["b"] == pytest.approx([-4.6836, 49.3646], abs=5e-5)
    assert c["excluded"] == {"c": "no measured perturbed run", "d": "no measured perturbed run"}
    assert intervals["c"] is None
    assert c["degradation"]["instances"] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{HEAD}\na,20,21,20,10\n", ["t.csv:2", "baseline_resolved 21 is above baseline_n 20"]),
        (f"{HEAD}\na,20,20,-1,0\n", ["t.csv:2", "perturbed_n -1 is negative"]),
        (f"{HEAD}\na,20,20,,3\n", ["t.csv:2", "perturbed_n is empty"]),
        (f"{HEAD}\na,20,20,5,\n", ["t.csv:2", "perturbed_resolved is empty"]),
        (f"{HEAD}\na,20,20,2.5,1\n", ["t.csv:2", "no whole number"]),
        (f"{COST}\na,2,2,2,2,nan,1\n", ["t.csv:2", "baseline_cost_mean", "leave it empty"]),
        (f"{COST}\na,2,2,2,2,1,inf\n", ["t.csv:2", "perturbed_cost_mean", "leave it empty"]),
        (f"{COST}\na,2,2,2,2,-1,1\n", ["t.csv:2", "is negative"]),
        (f"{HEAD}\na,2,2,2,2\nb,2,2,2,2\na,1,1,1,1\n", ["t.csv:4", "is in line 2 already"]),
        (f"{HEAD}\na,2,2,2\n", ["t.csv:2", "5 values"]),
        (f"{HEAD}\n,2,2,2,2\n", ["t.csv:2", "instance_id is empty"]),
        (f"{HEAD}\n", ["has no row"]),
        ("instance_id,baseline_n\n", ["t.csv:1", "lacks the columns baseline_resolved"]),
        (f"{HEAD},baseline_n\n", ["t.csv:1", "baseline_n twice"]),
    ],
)
def test_bad_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str]
) -> None:
    status, report = counts(tmp_path, text)
    assert (status, report) == (2, None)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in words:
        assert word in error


def test_no_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["counts", str(tmp_path / "none.csv")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_zero_and_unknown_cost(tmp_path: Path) -> None:
    """A baseline that costs nothing has no relative change: named, never a NaN."""
    rows = ["free,2,2,2,2,0,1", "unknown,2,2,2,2,,1", "paid,2,2,2,2,1,1.5"]
    _, report = counts(tmp_path, "\n".join([COST, *rows]))
    cost = report["configurations"][0]["effort"]["cost"]
    assert cost["mean_pct"] == pytest.approx(50)
    assert cost["excluded"] == {
        "free": "baseline is zero",
        "unknown": "no known mean in the baseline",
    }


def test_one_run_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bootstrap has no width then; the score interval beside it says how little is known."""
    _, report = counts(tmp_path, f"{HEAD}\na,1,1,1,0\nb,1,1,1,1\n")
    degradation = report["configurations"][0]["degradation"]
    assert degradation["zero_width"] is True
    assert degradation["interval_pp"] == [50.0, 50.0]
    low, high = degradation["score_interval_pp"]
    assert low < 0 < high
    text = " ".join(capsys.readouterr().out.split())
    assert "has no width and says nothing" in text


@published
def test_the_terminal_is_pleasant(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for options in ([], ["-v"]):
        assert main(["counts", str(DATA / "counts.csv"), *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80
        for table in "\n".join(lines).split("instance  ")[1:]:
            names = [line.split()[0] for line in table.splitlines() if "/20 " in line]
            assert len(set(names)) == len(names) in (26, 28)
        assert any("miniswe · claude · swepro" in line and "[3.7, 9.8]" in line for line in lines)
        assert not any("nan" in line.split() for line in lines)


def test_estimates_do_not_wait_for_scipy(tmp_path: Path) -> None:
    """Its import takes longer than all intervals of a study of the paper's size."""
    table = tmp_path / "t.csv"
    table.write_text(f"{HEAD}\na,20,10,20,8\nb,20,19,20,20\n")
    code = (
        "import sys; from pytest_jagged.__main__ import main;"
        f" assert main(['counts', {str(table)!r}]) == 0; assert 'scipy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
