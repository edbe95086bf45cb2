"""What a command selects is what is run, counted and reported."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.plugin.conftest import FIX, MODES, Run, Study, command, report_of


def runs_listed(result: pytest.RunResult) -> list[str]:
    return [line for line in result.stdout.lines if "::" in line and "[" in line]


def test_studies_of_ini_files_do_not_join_those_of_the_command_line(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    mine, other = study(runs=1), study("other", runs=1)
    pytester.makeini(f"[pytest]\naddopts = --jagged-config={other}\n")
    result = run(f"--jagged-config={mine}", "--collect-only", "-q")
    assert result.ret == 0
    assert {line.split("::")[0] for line in runs_listed(result)} == {"mine.yaml"}


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_certificates_alone_prepare_a_study(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    path = study(runs=2)
    result = run(f"--jagged-config={path}", "-k", "certificate", *MODES[mode])
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*2 certified*"])
    assert not list(pytester.path.glob("reports/mine/report*.json"))
    by_id = run(f"--jagged-config={path}", f"{path}::alpha::certificate[v01]", *MODES[mode])
    by_id.stdout.fnmatch_lines(["*1 skipped in*"])


def test_nothing_selected_writes_no_report(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    result = run(f"--jagged-config={study()}", "-k", "nothing")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["collected 6 items / 6 deselected / 0 selected"])
    assert "jagged mine" not in result.stdout.str()
    assert not list(pytester.path.glob("reports/mine/report*.json"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("baseline", "6 items / 4 deselected / 2 selected"),
        ("perturbed and v02", "6 items / 4 deselected / 2 selected"),
        ("not perturbed", "6 items / 4 deselected / 2 selected"),
        ("v01", "6 items / 4 deselected / 2 selected"),
        ("gold-patch", "6 items"),
    ],
)
def test_counts_of_a_selection(run: Run, study: Study, words: str, line: str) -> None:
    result = run(f"--jagged-config={study()}", "-k", words, "--collect-only")
    assert result.ret == 0
    assert f"collected {line}\n" in result.stdout.str() + "\n"


def test_marks_select_runs_and_the_certificates_they_need(run: Run, study: Study) -> None:
    select = ("--collect-only", "-q", "-m", "jagged(condition='perturbed', run=2)")
    result = run(f"--jagged-config={study()}", *select)
    assert runs_listed(result) == [
        "mine.yaml::alpha::certificate[v02]",
        "mine.yaml::alpha::perturbed[v02]",
    ]


def test_other_plugins_that_shuffle_leave_the_plan_in_order(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    path = study(runs=2)
    straight = run(f"--jagged-config={path}", "--collect-only", "-q")
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.reverse()")
    shuffled = run(f"--jagged-config={path}", "--collect-only", "-q")
    assert runs_listed(shuffled) == runs_listed(straight)
    assert len(runs_listed(straight)) == 6


def test_showing_runs_nothing(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study(runs=1)
    for option in ("--setup-plan", "--fixtures", "--fixtures-per-test", "--collect-only"):
        result = run(f"--jagged-config={path}", option)
        assert result.ret == 0
        assert not (pytester.path / "reports").exists(), option


def test_a_dry_run_fetches_nothing_even_where_a_session_was_before(
    pytester: pytest.Pytester, run: Run, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study(runs=1, agent=command(FIX))
    assert run(f"--jagged-config={path}").ret == 0
    elsewhere = pytester.path / "empty-cache"
    monkeypatch.setenv("JAGGED_CACHE", str(elsewhere))
    shutil.rmtree(pytester.path / "alpha" / "repo")  # could not be loaded now
    result = run(f"--jagged-config={path}", "--collect-only", "--jagged-runs=3")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["jagged: mine: 6 runs: 2 reused, 4 to do, *"])
    assert not elsewhere.exists()
    other = study(runs=1, agent="noop")
    changed = run(f"--jagged-config={other}", "--collect-only")
    changed.stdout.fnmatch_lines(["jagged: mine: 2 runs: 0 reused, 2 to do, *"])


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_studies_outside_of_rootdir(
    pytester: pytest.Pytester, run: Run, study: Study, mode: str
) -> None:
    """Two files of one name, elsewhere: ids tell them apart, ids and links name them."""
    study(runs=1, agent=command(FIX))
    outside = pytester.path.parent / f"{pytester.path.name}-outside"
    for name in ("one", "two"):
        folder = outside / name
        shutil.copytree(pytester.path / "alpha", folder / "alpha")
        value = json.loads((pytester.path / "mine.yaml").read_text())
        (folder / "study.yaml").write_text(json.dumps({**value, "name": name}))
    project = pytester.mkdir("project")
    (project / "pytest.ini").write_text("[pytest]\n")
    options = [f"--jagged-config={outside / name / 'study.yaml'}" for name in ("one", "two")]
    result = run(*options, f"--rootdir={project}", "-v", *MODES[mode])
    assert result.ret == 0
    for name in ("one", "two"):
        assert f"{name}/study.yaml::alpha::baseline[r01]" in result.stdout.str()
        assert report_of(pytester, name)["planned"] == 2
    (outside / "link").symlink_to(outside / "one")
    over_link = outside / "link" / "study.yaml"
    by_id = run(f"--jagged-config={over_link}", f"{over_link}::alpha::baseline[r01]", *MODES[mode])
    by_id.stdout.fnmatch_lines(["*1 resolved in*"])


def test_rerun_names_must_exist_and_run_once(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    """Each word counts; a run that an own test asks for as well is made again only once."""
    log = pytester.path / "started.log"
    one = study("one", runs=1, agent=command(f"echo x >> {log}; {FIX}"))
    two = study("two", instances=("beta",), runs=1, agent="noop")
    both = (f"--jagged-config={one}", f"--jagged-config={two}")
    assert run(*both).ret == 0
    assert log.read_text() == "x\n" * 2
    wrong = run(*both, "--jagged-rerun=alpha,gamma")
    assert wrong.ret == 4
    wrong.stderr.fnmatch_lines(["ERROR: jagged: --jagged-rerun: no instance or run *'gamma'*"])
    own = pytester.makepyfile(test_own="def test_own(jagged_run): assert jagged_run.resolved")
    again = run(f"--jagged-config={one}", "--jagged-rerun=alpha::baseline[r01], infra", own)
    assert again.ret == 0
    again.stdout.fnmatch_lines(["jagged: one: 2 runs: 1 reused, 1 to do, *"])
    assert log.read_text() == "x\n" * 3
    unnamed = run(f"--jagged-config={one}", own)
    assert unnamed.ret == 0
    assert log.read_text() == "x\n" * 3
