"""Trouble ends in one line or in a record; nothing is lost and nothing is left running."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugin.conftest import FIX, MODES, Run, Study, command, report_of


def start(pytester: pytest.Pytester, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if condition():
            return
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.1)
    process.kill()
    raise AssertionError("it never happened: " + process.communicate()[0])


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a: [", ["bad.yaml:1: not valid YAML"]),
        ('{"instances": [{"path": "alpha"}], "rnus": 1}', ["rnus: unknown key", "'runs'"]),
        ('{"instances": [{"path": "nowhere"}]}', ["no folder", "nowhere"]),
        ('{"instances": [{"path": "alpha"}], "agent": "gold"}', ["unknown agent 'gold'"]),
        (
            '{"instances": [{"path": "alpha"}], "agent": {"name": "command", "command": "{x}"}}',
            ["unknown placeholder {x}"],
        ),
        ('{"instances": [{"path": "alpha"}, {"path": "alpha"}]}', ["'alpha' is named twice"]),
    ],
)
def test_bad_input_is_one_line(
    pytester: pytest.Pytester, run: Run, study: Study, text: str, parts: list[str]
) -> None:
    study()
    (pytester.path / "bad.yaml").write_text(text)
    result = run("--jagged-config=bad.yaml")
    assert result.ret == 4
    shown = result.stderr.str()
    assert "Traceback" not in shown + result.stdout.str()
    assert "INTERNALERROR" not in shown + result.stdout.str()
    (line,) = [line for line in shown.splitlines() if line.startswith("ERROR: ")]
    for part in parts:
        assert part in line


def test_missing_study_and_bad_options(run: Run, study: Study) -> None:
    assert run("--jagged-config=absent.yaml").ret == 4
    path = study()
    for option in ("--jagged-runs=0", "--jagged-runs=x", "--jagged-budget=-1", "--dist=loadgroup"):
        result = run(f"--jagged-config={path}", option)
        assert result.ret == 4
        assert "Traceback" not in result.stderr.str()
    unknown = run(f"--jagged-config={path}", "--jagged-rerun=gamma")
    assert unknown.ret == 4
    unknown.stderr.fnmatch_lines(["*no instance or run is called 'gamma'*"])


def test_a_base_that_does_not_fail(pytester: pytest.Pytester, run: Run, study: Study) -> None:
    path = study()
    fixed = pytester.path / "alpha" / "repo" / "counting.py"
    fixed.write_text(fixed.read_text().replace("result - number", "result + number"))
    result = run(f"--jagged-config={path}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: jagged: *alpha*"])
    assert "Traceback" not in result.stderr.str()


def test_agents_that_misbehave_are_measured(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    """Hangs, leaves a daemon, deletes git, kills its parent, edits tests: all are outcomes."""
    daemon = f"sleep 6{os.getpid()}"  # found again by its number: other tests sleep too
    script = f"(setsid {daemon} &); rm -rf .git; "
    path = study(
        runs=1,
        agent=command(script + FIX + "; kill -9 $PPID; sleep 600"),
        limits={"wall_s": 20, "attempts": 2},
    )
    result = run(f"--jagged-config={path}")
    assert result.ret == 0
    outcomes = report_of(pytester)["outcomes"]
    # The work was done before the crash, and is graded.
    assert outcomes == {"baseline": {"resolved": 1}, "perturbed": {"resolved": 1}}
    left = subprocess.run(["pgrep", "-f", daemon], check=False, capture_output=True)
    assert left.stdout == b""
    hung = study("hung", runs=1, agent=command("sleep 600"), limits={"wall_s": 1})
    run(f"--jagged-config={hung}")
    assert report_of(pytester, "hung")["outcomes"] == {
        "baseline": {"limit_reached": 1},
        "perturbed": {"limit_reached": 1},
    }


def test_infrastructure_trouble_is_an_error_and_tried_again(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    pytester.makepyfile(
        my_agent="""
        from pathlib import Path
        from pytest_jagged.contracts.agent import AgentResult, Exit
        from pytest_jagged.errors import EnvironmentFailure

        def flaky(job, environment):
            if not Path(__file__).with_name("healed").exists():
                raise EnvironmentFailure("the engine is away")
            return AgentResult(Exit.SUBMITTED, steps=1)
        """
    )
    pytester.syspathinsert()
    path = study(runs=1, agent="python:my_agent:flaky", limits={"attempts": 2})
    result = run("-p", "my_agent", f"--jagged-config={path}")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*infrastructure error: the engine is away*",
            "*reproduce: pytest --jagged-config=*mine.yaml '*mine.yaml::alpha::*'*",
            "ERROR mine.yaml::alpha::baseline[[]r01]*",
            "*2 errors, 1 certified in*",
        ]
    )
    assert report_of(pytester)["outcomes"]["baseline"] == {"infrastructure_error": 1}
    (pytester.path / "healed").touch()
    again = run("-p", "my_agent", f"--jagged-config={path}")
    assert again.ret == 0
    assert report_of(pytester)["outcomes"]["baseline"] == {"empty_patch": 1}
    (record,) = pytester.path.glob("reports/mine/runs/alpha/baseline-r01.*/record.json")
    assert len(json.loads(record.read_text())["attempts"]) == 2


def test_two_sessions_on_one_store(pytester: pytest.Pytester, study: Study, run: Run) -> None:
    started = pytester.path / "started"
    path = study(runs=1, agent=command(f"touch {started}; sleep 60"))
    first = start(pytester, f"--jagged-config={path}")
    try:
        wait_for(started.exists, first)
        second = run(f"--jagged-config={path}")
        assert second.ret == 4
        second.stderr.fnmatch_lines([f"ERROR: jagged: *in use by process {first.pid} on *"])
    finally:
        os.killpg(first.pid, signal.SIGINT)
        first.communicate(timeout=60)


@pytest.mark.parametrize("mode", ["plain", "n2"])
def test_ctrl_c_keeps_what_is_finished(
    pytester: pytest.Pytester, study: Study, run: Run, mode: str
) -> None:
    pids = pytester.path / "pids"
    slow = f"test -f {pytester.path}/go && exit; {FIX}; echo $$ >> {pids}; sleep 600"
    path = study(runs=2, agent=command(slow))
    quick = study("mine", runs=1, agent=command(slow), limits={"wall_s": 600})
    assert quick == path
    (pytester.path / "go").touch()
    run(f"--jagged-config={path}", "-k", "baseline")
    (pytester.path / "go").unlink()
    process = start(pytester, f"--jagged-config={path}", *MODES[mode])
    wait_for(pids.exists, process)
    os.killpg(process.pid, signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "jagged mine (partial)" in shown
    assert "no gate was evaluated" in shown
    assert not any(is_alive(int(pid)) for pid in pids.read_text().split())
    assert len(list(pytester.path.glob("reports/mine/runs/*/*/record.json"))) == 1
    (pytester.path / "go").touch()
    again = run(f"--jagged-config={path}", *MODES[mode])
    assert again.ret == 0
    again.stdout.fnmatch_lines(["*2 runs: 1 reused, 1 to do*"])


def test_a_killed_worker_is_infrastructure_and_its_item_runs_again(
    pytester: pytest.Pytester, study: Study, run: Run
) -> None:
    once = pytester.path / "once"
    pytester.makepyfile(
        my_agent=f"""
        import os, signal
        from pathlib import Path
        from pytest_jagged.contracts.agent import AgentResult, Exit

        def deadly(job, environment):
            once = Path({str(once)!r})
            if not once.exists():
                once.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return AgentResult(Exit.SUBMITTED, steps=1)
        """
    )
    path = study(runs=2, agent="python:my_agent:deadly")
    pytester.syspathinsert()
    result = run("-p", "my_agent", f"--jagged-config={path}", "-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR mine.yaml::alpha::*the worker process died*", "*1 error*"])
    outcomes = report_of(pytester)["outcomes"]
    assert outcomes == {"baseline": {"empty_patch": 2}, "perturbed": {"empty_patch": 2}}
    again = run("-p", "my_agent", f"--jagged-config={path}", "-n", "2")
    assert again.ret == 0
    again.stdout.fnmatch_lines(["*4 runs: 4 reused, 0 to do*"])


def test_a_full_disk_is_said_in_one_line(small_disk: Path, run: Run, study: Study) -> None:
    (small_disk / "filler").write_bytes(bytes(100_000))
    path = study(runs=1, agent=command("head -c 200000 /dev/urandom > noise.bin"))
    result = run(f"--jagged-config={path}", f"--jagged-reports={small_disk}")
    assert result.ret in (1, 4)
    shown = result.stdout.str() + result.stderr.str()
    assert "No space left on device" in shown
    assert "INTERNALERROR" not in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("victim", ["controller", "worker"])
def test_a_killed_process_leaves_no_agent_running(
    pytester: pytest.Pytester, study: Study, victim: str
) -> None:
    """SIGINT to the controller alone (as CI cancels a job), or SIGKILL to the worker of a run."""
    pids = pytester.path / "pids"
    slow = f"echo $$ $PPID >> {pids}; sleep 600"
    path = study(runs=1, agent=command(slow), limits={"attempts": 1})
    process = start(pytester, f"--jagged-config={path}", "-k", "baseline", "-n", "1")
    try:
        wait_for(pids.exists, process)
        agent = int(pids.read_text().split()[0])
        worker = parent_of(parent_of(agent))
        if victim == "worker":
            os.kill(worker, signal.SIGKILL)
            wait_for(lambda: len(pids.read_text().splitlines()) == 2, process)  # it runs again
        else:
            os.kill(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
        gone_by = time.monotonic() + 10
        while is_alive(agent) and time.monotonic() < gone_by:
            time.sleep(0.1)
        assert not is_alive(agent)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_an_own_test_that_ends_its_process_fails_as_ever(
    pytester: pytest.Pytester, study: Study, run: Run
) -> None:
    own = pytester.makepyfile(
        test_own="""
        import os

        def test_deadly():
            with open("tried", "a") as stream:
                stream.write("x")
            os._exit(3)
        """
    )
    path = study(runs=1, agent=command(FIX))
    result = run(f"--jagged-config={path}", own, "-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED test_own.py*", "*1 failed*"])
    assert (pytester.path / "tried").read_text() == "x"
    assert report_of(pytester)["outcomes"]["baseline"] == {"resolved": 1}


def test_the_reproduce_line_can_be_pasted(
    pytester: pytest.Pytester, study: Study, run: Run
) -> None:
    """It names what the store depends on, and survives a blank in a path."""
    pytester.makepyfile(
        my_agent="""
        from pytest_jagged.errors import EnvironmentFailure

        def broken(job, environment): raise EnvironmentFailure("away")
        """
    )
    pytester.syspathinsert()
    study(runs=1, agent="python:my_agent:broken", limits={"attempts": 1})
    folder = pytester.mkdir("two words")
    for name in ("mine.yaml", "alpha"):
        (pytester.path / name).rename(folder / name)
    options = ("-p", "my_agent", "--jagged-reports=out", "--jagged-runs=2")
    result = run(f"--jagged-config={folder / 'mine.yaml'}", *options, "-k", "baseline and r02")
    (line,) = {line for line in result.stdout.lines if line.startswith("reproduce: ")}
    words = shlex.split(line.removeprefix("reproduce: "))
    assert words[0] == "pytest"
    again = run("-p", "my_agent", *words[1:])
    again.stdout.fnmatch_lines(["*1 error*"])
    (record,) = pytester.path.glob("out/mine/runs/alpha/*/record.json")
    assert len(json.loads(record.read_text())["attempts"]) == 1
