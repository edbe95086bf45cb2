"""A session that is killed leaves no process and no folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import SOURCE

SESSION = """
import sys
from pathlib import Path
from pytest_jagged.contracts.instance import Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.local import LocalProvider

instance = Instance(
    id="x", problem_statement="", seed=Path(sys.argv[1]), seed_digest="", digest="",
    test_command="true", results=ResultsSource(ResultsMode.EXIT_CODE), fail_to_pass=(),
    pass_to_pass=(), gold_patch="", gold_files=(), interpreter=sys.executable,
)
environment = LocalProvider(LimitSettings()).create(instance)
print(environment.workdir, flush=True)
if sys.argv[2] == "wait":
    environment.exec(
        "setsid sleep 300 & echo $! > ../pids; env -i setsid sleep 300 & echo $! >> ../pids;"
        " echo $$ >> ../pids; touch ../ready; sleep 300",
        timeout=300,
    )
"""


def start(tmp_path: Path, how: str) -> subprocess.Popen[str]:
    seed = tmp_path / "seed"
    seed.mkdir()
    (seed / "sums.py").write_text(SOURCE)
    return subprocess.Popen(
        [sys.executable, "-c", SESSION, str(seed), how], stdout=subprocess.PIPE, text=True
    )


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never happened")


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_killed_session_is_cleaned_up_after(tmp_path: Path) -> None:
    session = start(tmp_path, "wait")
    assert session.stdout is not None
    root = Path(session.stdout.readline().strip()).parent
    wait_for((root / "ready").exists)
    pids = [int(word) for word in (root / "pids").read_text().split()]
    assert len(pids) == 3
    os.kill(session.pid, signal.SIGKILL)
    session.wait()
    session.stdout.close()
    wait_for(lambda: all(is_gone(pid) for pid in pids))
    wait_for(lambda: not root.exists())


def test_an_environment_that_nobody_closed_goes_with_its_session(tmp_path: Path) -> None:
    session = start(tmp_path, "leave")
    output, _ = session.communicate(timeout=60)
    assert session.returncode == 0
    assert not Path(output.strip()).parent.exists()
