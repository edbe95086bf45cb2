"""A staged study: one session is one stage, and the same command starts the next."""

from __future__ import annotations

import collections
import json

import pytest

from tests.plugin.conftest import FIX, MODES, Run, Study, command, report_of

STAGED = {"session": {"staged": True}, "runs": 6}
# Solves "alpha" always and "beta" in every other run of each condition.
WAVERING = (
    "if grep -q beta {{task_file}}; then echo x >> {count};"
    " [ $(($(wc -l < {count}) / 2 % 2)) = 1 ] && exit 0; fi; " + FIX
)


def planned(pytester: pytest.Pytester) -> collections.Counter[tuple[int, str, str]]:
    value = json.loads((pytester.path / "reports/mine/study.json").read_text())
    return collections.Counter(
        (case["stage"], case["instance"], case["condition"]) for case in value["planned"]
    )


def test_stages_follow_one_another(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(
        instances=("alpha", "beta"),
        agent=command(WAVERING.format(count=pytester.path / "count")),
        gates=[{"metric": "mean_degradation", "margin_pp": 50}],
        **STAGED,
    )
    issue = pytester.path / "beta/issue.md"
    issue.write_text(issue.read_text() + "(beta)\n")
    levels = []
    for number, mode in enumerate(("plain", "n2", "n0"), start=1):
        found = run(f"--jagged-config={path}", *MODES[mode])
        assert found.ret == 0
        found.stdout.fnmatch_lines([f"*6 runs (stage {number} of 3), agent*"])
        report = report_of(pytester)
        assert report["look"]["stage"] == number
        assert report["outcomes"]["baseline"].get("not_run", 0) == 0
        levels.append(report["confidence"])
    assert levels == sorted(levels, reverse=True)
    stages = planned(pytester)
    assert stages[1, "alpha", "baseline"] == stages[1, "beta", "baseline"] == 2
    assert stages[2, "alpha", "baseline"] == 1  # settled: the least
    assert stages[2, "beta", "baseline"] + stages[2, "beta", "perturbed"] == 6
    beta = report["configurations"][0]["instances"][1]
    assert beta["baseline"]["runs"] == sum(stages[k, "beta", "baseline"] for k in (1, 2, 3))
    again = run(f"--jagged-config={path}")
    again.stdout.fnmatch_lines(["*(stage 3 of 3)*", "*0 to do*"])
    shown = run(f"--jagged-config={path}", "--jagged-rerun=alpha")
    shown.stderr.fnmatch_lines(["*study mine is staged*"])


def test_a_stage_that_is_not_complete_goes_on(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    path = study(**STAGED)
    assert run(f"--jagged-config={path}", "-k", "perturbed").ret == 0
    shown = run(f"--jagged-config={path}", "--collect-only")
    shown.stdout.fnmatch_lines(["*(stage 1 of 3)*", "*4 runs: 2 reused, 2 to do*"])
    assert run(f"--jagged-config={path}").ret == 0
    assert report_of(pytester)["look"]["stage"] == 1
    shown = run(f"--jagged-config={path}", "--collect-only")
    shown.stdout.fnmatch_lines(["*(stage 2 of 3)*", "*perturbed[[]v03]*"])


def test_runs_of_an_unstaged_study_are_reused(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    path = study(runs=2)
    assert run(f"--jagged-config={path}").ret == 0
    study(**STAGED)
    found = run(f"--jagged-config={path}")
    found.stdout.fnmatch_lines(["*(stage 2 of 3)*", "*6 runs: 4 reused, 2 to do*"])
    assert report_of(pytester)["look"]["stage"] == 2
    refused = run(f"--jagged-config={path}", "--jagged-compare=reports/mine")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(["*a staged study spends its runs by what they showed*"])
