"""`--jagged-compare`: this session's studies against earlier reports."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.plugin.conftest import FIX, Run, Study, command, report_of

GATE = {"metric": "regression", "margin_pp": 5}


def test_an_agent_that_got_worse_fails_the_gate(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    """The earlier report lies where this session writes its own, as it does in daily use."""
    path = study(runs=6, agent=command(FIX), gates=[GATE])
    first = run(f"--jagged-config={path}")
    assert first.ret == 0
    first.stdout.fnmatch_lines(["gate regression: inconclusive: * name an earlier report*"])
    # Only the seed repository has this text: the fix is lost on every variant that changed it.
    frail = f"md5sum counting.py | grep -q {_digest(pytester)} && {FIX}; exit 0"
    study(runs=6, agent=command(frail), gates=[GATE])
    second = run(f"--jagged-config={path}", "--jagged-compare=reports/mine", "-n", "2")
    second.stdout.fnmatch_lines(
        ["against mine, paired by instance and variant (1 instance):", "*rise of degradation*"]
    )
    found = report_of(pytester)["configurations"][0]["comparison"]
    assert found["pairing"] == "instance and variant"
    assert found["degradation"]["mean_pp"] > 50
    assert found["baseline_rate"]["mean_pp"] == 0
    assert second.ret == 1
    second.stdout.fnmatch_lines(["FAILED mine.yaml::gate[[]regression] - rise of degradation*"])


def _digest(pytester: pytest.Pytester) -> str:
    return hashlib.md5((pytester.path / "alpha/repo/counting.py").read_bytes()).hexdigest()


def test_other_settings_are_refused_before_a_run(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    log = pytester.path / "started.log"
    path = study(agent=command(f"echo x >> {log}"))
    assert run(f"--jagged-config={path}").ret == 0
    started = log.read_text()
    other = study("other", agent=command(f"echo x >> {log}"), sampler={"n_transformations": 1})
    refused = run(f"--jagged-config={other}", "--jagged-compare=reports/mine")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        ["*cannot be compared with study other: sampler.n_transformations was 2, is 1"]
    )
    assert log.read_text() == started


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nowhere", "*nowhere: No such file or directory; name a report.json"),
        ("mine.yaml", "*mine.yaml: is no report of schema 1*"),
    ],
)
def test_what_is_no_report_is_refused(
    pytester: pytest.Pytester, run: Run, study: Study, given: str, words: str
) -> None:
    refused = run(f"--jagged-config={study()}", f"--jagged-compare={given}")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines([words])
    assert not (pytester.path / "reports").exists()


def test_several_studies_need_a_folder_of_reports(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    configs = [f"--jagged-config={study(name)}" for name in ("mine", "other")]
    assert run(*configs).ret == 0
    (pytester.path / "reports").rename(pytester.path / "before")
    one = run(*configs, "--jagged-compare=before/mine/report.json")
    assert one.ret == 4
    one.stderr.fnmatch_lines(["*is one report, the session has 2 studies*"])
    assert run(*configs, "--jagged-compare=before").ret == 0
    for name in ("mine", "other"):
        found = report_of(pytester, name)["configurations"][0]["comparison"]
        assert found["degradation"]["mean_pp"] == 0
        assert found["earlier"] == name


def test_a_stored_report_is_compared_by_the_verb(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    assert run(f"--jagged-config={study()}").ret == 0
    verb = ("-m", "pytest_jagged", "report", "reports/mine", "--compare", "reports/mine")
    shown = pytester.runpython_c(
        "import sys, runpy; sys.argv[1:] = " + repr(list(verb[2:])) + ";"
        "runpy.run_module('pytest_jagged', run_name='__main__')"
    )
    shown.stdout.fnmatch_lines(["against mine, paired by instance and variant (1 instance):"])
    assert Path("reports/mine/report.json").exists()
