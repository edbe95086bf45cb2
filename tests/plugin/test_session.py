"""A study from YAML to verdict, without xdist, with -n 0 and with -n 2."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.plugin.conftest import FIX, MODES, Run, Study, command, numbers, report_of

GATE = {"metric": "mean_degradation", "margin_pp": 5}


def test_all_modes_give_the_same_numbers(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    """The one expensive test: everything a finished session shows is looked at here."""
    path = study(runs=3, instances=("alpha", "beta"), gates=[GATE])
    reports = {}
    for mode, options in MODES.items():
        result = run(
            f"--jagged-config={path}",
            f"--jagged-reports={mode}",
            f"--junitxml={mode}.xml",
            *options,
        )
        reports[mode] = json.loads((pytester.path / mode / "mine" / "report.json").read_text())
        lines = result.stdout.str()
        assert "mean degradation" in lines
        assert "these instances, new runs" in lines
        assert "planned 12 runs = 12 accounted for:" in lines
        assert "INTERNALERROR" not in lines
        gate = reports[mode]["gates"][0]
        assert result.ret == (1 if gate["failed"] else 0)
        cases = ElementTree.parse(pytester.path / f"{mode}.xml").findall(".//testcase")
        names = {case.get("name") for case in cases}
        assert {"baseline[r01]", "certificate[v03]", "gate[mean_degradation]"} <= names
        if gate["failed"]:
            result.stdout.fnmatch_lines(["FAILED mine.yaml::gate[[]mean_degradation] - *95% CI*"])
    assert numbers(reports["plain"]) == numbers(reports["n0"]) == numbers(reports["n2"])
    baseline = [i["baseline"] for i in reports["plain"]["configurations"][0]["instances"]]
    assert [arm["resolved"] for arm in baseline] == [3, 3]


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_the_same_command_again_reuses_every_run(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    log = pytester.path / "started.log"
    path = study(runs=2, agent=command(f"echo x >> {log}; {FIX}"))
    first = run(f"--jagged-config={path}", *MODES[mode])
    assert first.ret == 0
    assert log.read_text() == "x\n" * 4
    report = numbers(report_of(pytester))
    again = run(f"--jagged-config={path}", "-v", *MODES[mode])
    assert again.ret == 0
    assert log.read_text() == "x\n" * 4
    assert again.stdout.str().count("(reused)") == 4
    again.stdout.fnmatch_lines(["*4 runs: 4 reused, 0 to do*"])
    assert numbers(report_of(pytester)) == report
    more = run(f"--jagged-config={path}", "--jagged-runs=3", *MODES[mode])
    assert more.ret == 0
    assert log.read_text() == "x\n" * 6
    run(f"--jagged-config={path}", "--jagged-rerun=alpha::baseline[r01]", *MODES[mode])
    assert log.read_text() == "x\n" * 7


def test_words_letters_and_reports(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(runs=1, agent="noop")
    result = run(f"--jagged-config={path}", "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*mine.yaml::alpha::certificate[[]v01] CERTIFIED*",
            "*mine.yaml::alpha::baseline[[]r01] EMPTY PATCH*",
            "*mine.yaml::alpha::perturbed[[]v01] EMPTY PATCH*",
            "*1 certified, 2 unresolved in *",
        ]
    )
    report = report_of(pytester)
    assert report["outcomes"] == {"baseline": {"empty_patch": 1}, "perturbed": {"empty_patch": 1}}
    assert report["study"]["scaffold"] == "noop"
    assert (pytester.path / "reports" / "mine" / "study.json").exists()


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_a_selection_is_a_subset_report(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    path = study(runs=2, agent=command(FIX), gates=[GATE])
    result = run(f"--jagged-config={path}", "-k", "perturbed and v02", "-v", *MODES[mode])
    assert result.ret == 0
    text = result.stdout.str()
    assert "certificate[v02]" in text
    assert "certificate[v01]" not in text
    assert "jagged mine (subset)" in text
    report = report_of(pytester, file="report-subset.json")
    assert report["planned"] == 1
    assert report["gates"][0]["verdict"] == "inconclusive"
    assert not (pytester.path / "reports" / "mine" / "report.json").exists()
    by_id = run(f"{path}::alpha::baseline[r01]", f"--jagged-config={path}", *MODES[mode])
    by_id.stdout.fnmatch_lines(["*1 resolved in*"])


def test_marks_select(run: Run, study: Study) -> None:
    path = study(runs=2)
    result = run(
        f"--jagged-config={path}", "--collect-only", "-q", "-m", "jagged(condition='baseline')"
    )
    result.stdout.fnmatch_lines(
        ["mine.yaml::alpha::baseline[[]r01]", "mine.yaml::alpha::baseline[[]r02]"]
    )
    assert "perturbed" not in result.stdout.str()
    assert "certificate" not in result.stdout.str()


def test_collect_only_is_the_dry_run(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(runs=3)
    result = run(f"--jagged-config={path}", "--collect-only")
    result.stdout.fnmatch_lines(["*jagged: mine: 6 runs: 0 reused, 6 to do*"])
    assert not (pytester.path / "reports").exists()


def test_order_is_balanced(run: Run, study: Study) -> None:
    path = study(runs=2, instances=("beta", "alpha"))
    result = run(f"--jagged-config={path}", "--collect-only", "-q")
    runs = [line for line in result.stdout.lines if "[r0" in line or "[v0" in line]
    assert runs == [
        "mine.yaml::beta::certificate[v01]",
        "mine.yaml::alpha::certificate[v01]",
        "mine.yaml::beta::certificate[v02]",
        "mine.yaml::alpha::certificate[v02]",
        "mine.yaml::beta::baseline[r01]",
        "mine.yaml::beta::perturbed[v01]",
        "mine.yaml::alpha::baseline[r01]",
        "mine.yaml::alpha::perturbed[v01]",
        "mine.yaml::beta::baseline[r02]",
        "mine.yaml::beta::perturbed[v02]",
        "mine.yaml::alpha::baseline[r02]",
        "mine.yaml::alpha::perturbed[v02]",
    ]


def test_a_failed_gate_is_the_only_failure(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    """The agent solves the baseline only, so that the degradation is known: 100 pp."""
    only = (
        f"grep -q 'result - number' counting.py && test $(wc -l < counting.py) = 17 && {FIX}; true"
    )
    path = study(
        runs=8,
        agent=command(only),
        gates=[GATE],
        sampler={"transformations": ["dead_code_injector"], "n_transformations": 1},
    )
    result = run(f"--jagged-config={path}", "-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED mine.yaml::gate[[]mean_degradation] - 100.0 pp, 95% CI*"])
    assert report_of(pytester)["configurations"][0]["degradation"]["mean_pp"] == 100.0
    quiet = run(f"--jagged-config={path}", "--jagged-no-gate")
    assert quiet.ret == 0


def test_a_budget_stops_new_runs(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(runs=3, agent=command("echo '{\"cost_usd\": 1.5}' > {result_file}"), gates=[GATE])
    result = run(f"--jagged-config={path}", "--jagged-budget=3", "-rs")
    report = report_of(pytester)
    done = sum(counts.get("empty_patch", 0) for counts in report["outcomes"].values())
    assert done == 2
    assert sum(counts.get("not_run", 0) for counts in report["outcomes"].values()) == 4
    assert report["gates"][0]["verdict"] == "inconclusive"
    assert "session budget of $3 spent ($3.00 recorded)" in result.stdout.str()
    more = run(f"--jagged-config={path}", "--jagged-budget=100")
    assert more.ret == 0
    counts = report_of(pytester)["outcomes"]
    assert sum(c.get("empty_patch", 0) for c in counts.values()) == 6


def test_two_studies_in_one_session(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    one, two = study("one", runs=1), study("two", runs=1, agent="noop")
    result = run(f"--jagged-config={one}", f"--jagged-config={two}", "-n", "2")
    assert result.ret == 0
    assert report_of(pytester, "one")["study"]["scaffold"] == "gold-patch"
    assert report_of(pytester, "two")["study"]["scaffold"] == "noop"
    same = study("three", name="one")
    alike = run(f"--jagged-config={one}", f"--jagged-config={same}")
    assert alike.ret == 4
    alike.stderr.fnmatch_lines(["ERROR: jagged: two studies are called 'one'*"])


def test_hooks_fixtures_and_own_tests(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(runs=1)
    pytester.makeconftest(
        """
        import pytest
        from pytest_jagged.contracts.agent import AgentResult, Exit

        class Mine:
            name = "mine"
            needs_gold_patch = False
            uses_model = False
            def probe(self): return "7"
            def identity(self): return {"name": "mine", "version": "7"}
            def run(self, job, environment):
                fix = "sed -i 's/result - number/result + number/' counting.py"
                environment.exec(fix, timeout=9)
                return AgentResult(Exit.SUBMITTED, steps=5)

        def pytest_jagged_make_agent(config, settings):
            return Mine()

        def pytest_jagged_run_finished(config, record):
            with open("finished.log", "a") as stream:
                stream.write(record.outcome.value + "\\n")

        def pytest_jagged_report_made(config, report):
            with open("report.log", "a") as stream:
                stream.write(f"{report.planned}\\n")
        """
    )
    own = pytester.makepyfile(
        test_own="""
        def test_few_steps(jagged_run, jagged_config):
            assert jagged_run.steps == 5
            assert jagged_config[0].runs == 1
        """
    )
    result = run(f"--jagged-config={path}", own)
    assert result.ret == 0
    assert (pytester.path / "finished.log").read_text().count("resolved") == 2
    assert (pytester.path / "report.log").read_text() == "2\n"
    result.stdout.fnmatch_lines(["*2 passed*"])
