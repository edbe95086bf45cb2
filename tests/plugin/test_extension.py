"""What users add beside a study: hooks, fixtures and tests of their own."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import FIX, MODES, Run, Study, command, report_of

AGENT = """
from pytest_jagged.contracts.agent import AgentResult, Exit

class Mine:
    name = "mine"
    needs_gold_patch = False
    uses_model = False
    def probe(self): return "7"
    def identity(self): return {"name": "mine", "version": "7"}
    def run(self, job, environment): return AgentResult(Exit.SUBMITTED, steps=5)
"""


@pytest.mark.parametrize("mode", MODES)
def test_the_conftest_beside_a_study_counts_from_the_start(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    """Neither the folder that pytest runs in nor the number of processes decides the agent."""
    study(runs=1)
    folder = pytester.mkdir("evaluation")
    for name in ("mine.yaml", "alpha"):
        (pytester.path / name).rename(folder / name)
    hook = "def pytest_jagged_make_agent(config, settings): return Mine()\n"
    (folder / "conftest.py").write_text(AGENT + hook)
    result = run("--jagged-config=evaluation/mine.yaml", *MODES[mode])
    assert result.ret == 0
    report = report_of(pytester)
    assert report["outcomes"] == {"baseline": {"empty_patch": 1}, "perturbed": {"empty_patch": 1}}
    records = list(pytester.path.glob("reports/mine/runs/*/*/record.json"))
    assert {json.loads(path.read_text())["agent"] for path in records} == {"mine"}
    assert len(records) == 2
    file = json.loads((pytester.path / "reports" / "mine" / "study.json").read_text())
    assert file["study"]["scaffold_version"] == "7"


def test_an_overriding_fixture_may_wrap_but_not_replace(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    """A record says which agent made it; another agent under the same key would be a lie."""
    path = study(runs=1, agent=command(FIX))
    pytester.makeconftest(
        AGENT + "import pytest\n@pytest.fixture\ndef jagged_agent(): return Mine()\n"
    )
    replaced = run(f"--jagged-config={path}")
    assert replaced.ret == 1
    replaced.stdout.fnmatch_lines(["*ConfigError: jagged_agent gives *mine*make_agent*"])
    assert not list(pytester.path.glob("reports/mine/runs/*/*/record.json"))
    pytester.makeconftest(
        """
        import pytest

        class Logged:
            def __init__(self, agent): self.agent = agent
            def __getattr__(self, name): return getattr(self.agent, name)
            def run(self, job, environment):
                with open("wrapped.log", "a") as stream:
                    stream.write("x")
                return self.agent.run(job, environment)

        @pytest.fixture
        def jagged_agent(jagged_agent): return Logged(jagged_agent)
        """
    )
    wrapped = run(f"--jagged-config={path}")
    assert wrapped.ret == 0
    assert (pytester.path / "wrapped.log").read_text() == "xx"


def test_own_tests_without_a_study_are_passed_over(pytester: pytest.Pytester, run: Run) -> None:
    own = pytester.makepyfile(
        """
        def test_run(jagged_run): assert jagged_run.resolved
        def test_settings(jagged_config): assert jagged_config
        def test_case(jagged_case, jagged_variant, jagged_environment, jagged_agent): pass
        def test_plain(): pass
        """
    )
    result = run(own, "-rs")
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["SKIPPED*needs a study: pytest --jagged-config=PATH"])


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_own_tests_alone_are_reported(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    path = study(runs=2, agent=command(FIX))
    own = pytester.makepyfile(test_own="def test_own(jagged_run): assert jagged_run.resolved")
    some = run(f"--jagged-config={path}", own, "-k", "test_own and r01", *MODES[mode])
    some.assert_outcomes(passed=1, deselected=0 if mode == "n2" else 9)
    assert report_of(pytester, file="report-subset.json")["planned"] == 1
    by_mark = run(
        *(f"--jagged-config={path}", own, "-k", "test_own", *MODES[mode]),
        *("-m", "jagged(condition='baseline')"),
    )
    assert by_mark.ret == 0
    assert report_of(pytester, file="report-subset.json")["outcomes"] == {
        "baseline": {"resolved": 2}
    }
    whole = run(f"--jagged-config={path}", own, "-k", "test_own", *MODES[mode])
    assert whole.ret == 0
    assert report_of(pytester)["planned"] == 4


def test_a_run_asked_for_too_late_is_explained(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    own = pytester.makepyfile(
        test_own="def test_late(request): request.getfixturevalue('jagged_run')"
    )
    result = run(f"--jagged-config={study(runs=1)}", own, "-k", "test_late")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*must take jagged_run or jagged_case as an argument*"])


def test_a_warning_that_is_an_error_is_one_line(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    pytester.makeini(
        f"[pytest]\naddopts = --jagged-config={study(runs=1)}\nfilterwarnings = error\n"
    )
    result = run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: jagged: --jagged-config counts only on the command line*"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()
