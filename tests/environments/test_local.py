"""Nothing a command starts outlives it, nothing of the host leaks in, trouble is named."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_jagged.contracts.environment import Ending, Isolation
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.local import LocalEnvironment, LocalProvider
from pytest_jagged.environments.tree import remove_tree
from pytest_jagged.errors import EnvironmentFailure
from tests.conftest import MakeInstance


@pytest.fixture
def environment(make_instance: MakeInstance) -> Iterator[LocalEnvironment]:
    made = LocalProvider(LimitSettings()).create(make_instance())
    yield made
    made.close()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_the_environment_says_what_it_does_not_isolate(environment: LocalEnvironment) -> None:
    assert environment.isolation is Isolation.NONE


def test_commands_see_the_tree_and_little_else(
    environment: LocalEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "hunter2")
    done = environment.exec("pwd; ls; env; cat", timeout=20)
    assert done.ok
    text = done.stdout.decode()
    assert "sums.py" in text
    assert "hunter2" not in text
    for word in ("jagged", "baseline", "perturbed", "pytest_current_test"):
        assert word not in text.lower()


def test_exit_codes_and_streams(environment: LocalEnvironment) -> None:
    done = environment.exec("echo out; echo err >&2; exit 3", timeout=20, stdin=b"")
    assert (done.ending, done.exit_code) == (Ending.EXITED, 3)
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")
    killed = environment.exec("kill -TERM $$", timeout=20)
    assert killed.exit_code == 128 + signal.SIGTERM
    data = os.urandom(300_000)
    assert environment.exec(["cat"], timeout=20, stdin=data).stdout == data


def test_time_out_kills_the_whole_family(environment: LocalEnvironment) -> None:
    script = (
        "(setsid sleep 300 & echo $! >&2); (nohup sleep 300 >/dev/null & echo $! >&2); sleep 300"
    )
    start = time.monotonic()
    done = environment.exec(script, timeout=1)
    assert done.ending is Ending.TIMED_OUT
    assert done.exit_code is None
    assert time.monotonic() - start < 20
    pids = [int(word) for word in done.stderr.split()]
    assert len(pids) == 2
    assert not any(is_alive(pid) for pid in pids)


def test_daemons_do_not_outlive_the_command(environment: LocalEnvironment) -> None:
    daemon = (
        "import os, sys\n"
        "if os.fork(): sys.exit()\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "print(os.getpid(), flush=True)\n"
        "os.environ.clear(); os.execve('/bin/sleep', ['sleep', '300'], {})\n"
    )
    done = environment.exec([environment.interpreter, "-c", daemon], timeout=30)
    assert done.ending is Ending.EXITED
    assert done.stdout
    assert not is_alive(int(done.stdout.split()[0]))


def test_silence_ends_a_hung_command(environment: LocalEnvironment) -> None:
    done = environment.exec("echo hello; sleep 300", timeout=60, idle_timeout=1)
    assert done.ending is Ending.IDLE
    assert done.stdout == b"hello\n"


def test_a_command_that_kills_its_parent_kills_only_its_shell(
    environment: LocalEnvironment,
) -> None:
    done = environment.exec("kill -9 $PPID; sleep 300", timeout=30)
    assert done.exit_code == 128 + signal.SIGKILL
    assert environment.exec("true", timeout=20).ok


def test_endless_output_is_cut_in_the_middle(environment: LocalEnvironment) -> None:
    done = environment.exec("echo first; head -c 60000000 /dev/zero; echo last", timeout=60)
    assert done.stdout.startswith(b"first\n")
    assert done.stdout.endswith(b"last\n")
    assert b"bytes left out" in done.stdout
    assert len(done.stdout) < 10_000_000


def test_closed_pipes_do_not_end_a_command(environment: LocalEnvironment) -> None:
    done = environment.exec("exec >&- 2>&-; sleep 1; touch done", timeout=20)
    assert done.ok
    assert environment.read("done") == b""


def test_writing_replaces_what_is_in_the_way(environment: LocalEnvironment) -> None:
    outside = Path(environment.scratch) / "outside"
    outside.mkdir()
    environment.exec(f"ln -s {outside} pkg; mkdir file.py; ln -s sums.py link.py", timeout=20)
    environment.write(
        [
            FileEdit("pkg/mod.py", b"x"),
            FileEdit("file.py", b"y"),
            FileEdit("link.py", b"z"),
            FileEdit("run.sh", b"#!", executable=True),
            FileEdit("sums.py", None),
            FileEdit("never/there.py", None),
        ]
    )
    assert list(outside.iterdir()) == []
    assert environment.read("pkg/mod.py") == b"x"
    assert environment.read("file.py") == b"y"
    assert environment.read("link.py") == b"z"
    assert environment.read("sums.py") is None
    assert os.access(Path(environment.workdir) / "run.sh", os.X_OK)


def test_copies_keep_links_and_leave_pipes_out(
    environment: LocalEnvironment, tmp_path: Path
) -> None:
    environment.exec("ln -s /etc/passwd link; mkfifo pipe; mkdir .git; touch .git/x", timeout=20)
    environment.copy_out(environment.workdir, tmp_path / "out")
    assert (tmp_path / "out" / "link").is_symlink()
    assert not (tmp_path / "out" / "pipe").exists()
    with pytest.raises(EnvironmentFailure, match="no such file"):
        environment.copy_out("absent", tmp_path / "none")


def test_the_digest_sees_names_modes_and_bytes(environment: LocalEnvironment) -> None:
    seen = {environment.tree_digest()}
    for script in ("chmod +x sums.py", "touch new", "echo >> sums.py", "ln -s a b", "ln -sf c b"):
        environment.exec(script, timeout=20)
        seen.add(environment.tree_digest())
    assert len(seen) == 6
    environment.exec("mkdir .git; touch .git/HEAD", timeout=20)
    assert environment.tree_digest() in seen


def test_closing_removes_everything_and_may_be_repeated(make_instance: MakeInstance) -> None:
    made = LocalProvider(LimitSettings()).create(make_instance())
    made.exec("mkdir -p a/b; touch a/b/c; chmod 0 a/b a", timeout=20)
    made.close()
    made.close()
    assert not Path(made.workdir).parent.exists()


def test_a_vanished_tree_is_infrastructure(environment: LocalEnvironment) -> None:
    remove_tree(Path(environment.workdir))
    with pytest.raises(EnvironmentFailure, match="cannot start"):
        environment.exec("true", timeout=20)


def test_a_full_disk_is_infrastructure(
    make_instance: MakeInstance, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = make_instance()
    (instance.seed / "big.bin").write_bytes(bytes(300_000))
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    with pytest.raises(EnvironmentFailure, match="cannot copy the tree"):
        LocalProvider(LimitSettings()).create(instance)
    assert list(small_disk.iterdir()) == []


def test_commands_side_by_side_do_not_end_each_other(environment: LocalEnvironment) -> None:
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(environment.exec, "sleep 2 & wait; echo whole", timeout=30)
        for _ in range(5):
            assert environment.exec("sleep 300 &", timeout=30).ok
        assert slow.result().stdout == b"whole\n"


def test_children_that_are_not_the_commands_live_on(environment: LocalEnvironment) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(environment.exec, "sleep 2", timeout=30)
        time.sleep(0.5)
        with subprocess.Popen(["sleep", "300"]) as mine:
            assert running.result().ok
            assert is_alive(mine.pid)
            mine.kill()


def test_what_no_kernel_takes_is_the_commands_failure(environment: LocalEnvironment) -> None:
    nul = environment.exec("echo a\0b", timeout=20)
    assert (nul.ending, nul.exit_code) == (Ending.EXITED, 126)
    assert b"null" in nul.stderr
    long = environment.exec(["echo", "x" * 4_000_000], timeout=20)
    assert (long.ending, long.exit_code) == (Ending.EXITED, 126)
    assert b"too long" in long.stderr


def test_long_scripts_are_run(environment: LocalEnvironment) -> None:
    done = environment.exec(f"cat <<'E' | wc -c\n{'x' * 999_999}\nE\npwd", timeout=20)
    assert done.stdout.decode().split() == ["1000000", environment.workdir]


def test_what_has_no_end_is_not_read(environment: LocalEnvironment) -> None:
    environment.exec("mkfifo pipe; ln -s /dev/zero zeros; truncate -s 1T sparse", timeout=20)
    with pytest.raises(EnvironmentFailure, match=r"sparse: .* too many"):
        environment.read("sparse")
    for name in ("pipe", "zeros", "tests", "absent", "sums.py/below"):
        assert environment.read(name) is None


def test_an_interrupt_ends_the_command_and_goes_on(environment: LocalEnvironment) -> None:
    noted = Path(environment.scratch) / "pid"
    own = threading.get_ident()

    def interrupt() -> None:
        while not (noted.exists() and noted.read_text().strip()):
            time.sleep(0.05)
        signal.pthread_kill(own, signal.SIGINT)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            environment.exec(f"setsid sleep 300 & echo $! > {noted}; wait", timeout=30)
    assert not is_alive(int(noted.read_text()))


def test_a_fork_bomb_ends_with_its_command(environment: LocalEnvironment) -> None:
    bomb = "for i in 1 2 3 4 5 6 7 8; do (while :; do setsid sleep 300 & sleep 0.01; done) & done"
    assert environment.exec(f"{bomb}; sleep 1", timeout=30).ok
    marker = environment.workdir.encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                assert marker not in (entry / "environ").read_bytes()
            except OSError:
                continue


def test_commands_reach_what_listens_on_the_host(environment: LocalEnvironment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        url = environment.host_url(server.getsockname()[1])
        script = (
            "import sys, urllib.parse, socket; u = urllib.parse.urlsplit(sys.argv[1]);"
            "socket.create_connection((u.hostname, u.port)).sendall(b'here')"
        )
        assert environment.exec([sys.executable, "-c", script, url], timeout=30).ok
        connection, _ = server.accept()
        with connection:
            assert connection.recv(4) == b"here"
