"""The contract of environments, kept by real containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.environment import Ending
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.environments.docker.environment import DockerEnvironment
from pytest_jagged.environments.injection import capture_base, inject
from pytest_jagged.errors import EnvironmentFailure
from tests.conftest import SOURCE, MakeInstance
from tests.environments.docker.conftest import SESSION, MakeEnvironment

pytestmark = pytest.mark.docker


def output(environment: DockerEnvironment, script: str) -> str:
    done = environment.exec(script, timeout=30)
    assert done.ok, done
    return done.stdout.decode("utf-8", "replace")


def test_commands_streams_input_and_codes(make_environment: MakeEnvironment) -> None:
    environment = make_environment()
    done = environment.exec("cat; echo out; echo err >&2; exit 3", timeout=20, stdin=b"in\n")
    assert (done.ending, done.exit_code) == (Ending.EXITED, 3)
    assert (done.stdout, done.stderr) == (b"in\nout\n", b"err\n")
    missing = environment.exec(["no-such-program"], timeout=20)
    assert (missing.ending, missing.exit_code) == (Ending.EXITED, 127)
    assert output(environment, "pwd; hostname") == "/testbed\ntestbed\n"
    assert "lo:" in output(environment, "cat /proc/net/dev")
    assert "eth" not in output(environment, "cat /proc/net/dev")


def test_the_last_bytes_of_much_output_arrive(make_environment: MakeEnvironment) -> None:
    environment = make_environment()
    for _ in range(10):
        done = environment.exec("head -c 300000 /dev/zero; printf end", timeout=20)
        assert (len(done.stdout), done.stdout[-3:]) == (300_003, b"end")


def test_time_outs_and_daemons_end_inside(make_environment: MakeEnvironment) -> None:
    environment = make_environment()
    slow = environment.exec("setsid sleep 987 & sleep 987", timeout=1)
    assert (slow.ending, slow.exit_code) == (Ending.TIMED_OUT, None)
    left = environment.exec("setsid sleep 987 </dev/null & exit 0", timeout=20)
    assert left.ok
    assert left.duration_s < 15
    silent = environment.exec("sleep 987", timeout=60, idle_timeout=1)
    assert silent.ending is Ending.IDLE
    commands = output(environment, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert "987" not in commands.replace("cat /proc", "")


def test_a_fork_bomb_ends_with_its_command(make_environment: MakeEnvironment) -> None:
    environment = make_environment(pids=40)
    environment.exec("f() { f | f & }; f; sleep 9", timeout=2)
    assert output(environment, "cat sums.py") == SOURCE


def test_want_of_memory_is_told_from_a_kill(make_environment: MakeEnvironment) -> None:
    environment = make_environment(memory="64m")
    hungry = environment.exec(["python3", "-c", "x = b'1' * (1 << 30)"], timeout=60)
    assert hungry.ending is Ending.OUT_OF_MEMORY
    killed = environment.exec("kill -9 $$", timeout=20)
    assert (killed.ending, killed.exit_code) == (Ending.EXITED, 137)


def test_a_container_removed_outside_is_infrastructure(
    make_environment: MakeEnvironment, engine: Any
) -> None:
    environment = make_environment()
    for container in engine.containers.list(filters={"label": f"jagged.session={SESSION}"}):
        container.remove(force=True)
    with pytest.raises(EnvironmentFailure):
        environment.exec("true", timeout=20)
    with pytest.raises(EnvironmentFailure):
        environment.read("sums.py")
    environment.close()


def test_writing_replaces_what_is_in_the_way(make_environment: MakeEnvironment) -> None:
    environment = make_environment()
    output(environment, "ln -s /etc out; mkdir -p folder/sub; ln -s /etc/passwd link; touch gone")
    passwd = environment.read("/etc/passwd")
    environment.write(
        [
            FileEdit("out/new 'name'", b"1"),
            FileEdit("folder", b"2", executable=True),
            FileEdit("link", b"3"),
            FileEdit("gone", None),
            FileEdit("tests", None),
            FileEdit("never/was", None),
        ]
    )
    assert environment.read("out/new 'name'") == b"1"
    assert environment.read("folder") == b"2"
    assert environment.read("link") == b"3"
    assert environment.read("gone") is None
    assert environment.read("tests/test_sums.py") is not None
    assert environment.read("/etc/passwd") == passwd
    assert environment.read("/etc/new 'name'") is None
    assert output(environment, "stat -c %a folder; ls /tmp | grep edits; true") == "755\n"


def test_links_are_copied_out_as_links(make_environment: MakeEnvironment, tmp_path: Path) -> None:
    environment = make_environment()
    output(environment, "ln -s /etc/passwd link; ln sums.py twin; mkfifo pipe; chmod 0 sums.py")
    environment.copy_out(environment.workdir, tmp_path / "tree")
    assert (tmp_path / "tree" / "link").readlink() == Path("/etc/passwd")
    assert (tmp_path / "tree" / "twin").read_text() == SOURCE
    assert not (tmp_path / "tree" / "pipe").exists()


def test_conditions_cannot_be_told_apart(
    make_environment: MakeEnvironment, make_instance: MakeInstance, tmp_path: Path
) -> None:
    instance = make_instance(interpreter="python3")
    baseline, perturbed = make_environment(instance), make_environment(instance)
    inject(baseline, ())
    inject(perturbed, [FileEdit("sums.py", b"changed = 1\n")])
    listing = "find . -path ./.git -prune -o -printf '%P %T@ %m %u\\n' | sort"
    assert output(baseline, listing) == output(perturbed, listing)
    assert "sums.py 946684800.0000000000 644 root" in output(baseline, listing)
    hidden = "git reflog; git fsck --unreachable --no-progress; git stash list; git remote"
    assert output(perturbed, hidden) == ""
    objects = "git cat-file --batch --batch-all-objects"
    assert "result - number" not in output(perturbed, objects)
    assert capture_base(perturbed, tmp_path / "base").is_dir()
    assert baseline.tree_digest() != perturbed.tree_digest()
