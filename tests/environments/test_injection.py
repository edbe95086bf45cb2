"""Injection leaves the same traces in every condition."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.git import run_git
from pytest_jagged.environments.injection import capture_base, inject
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import EnvironmentFailure
from tests.conftest import MakeInstance


def listing(environment: Environment) -> str:
    done = environment.exec(
        "find . -path ./.git -prune -o -printf '%P %T@ %m %u\\n' | sort", timeout=20
    )
    assert done.ok
    return done.stdout.decode()


def output(environment: Environment, script: str) -> str:
    done = environment.exec(script, timeout=20)
    assert done.ok, done.stderr
    return done.stdout.decode()


def test_conditions_cannot_be_told_apart(make_instance: MakeInstance) -> None:
    instance = make_instance()
    (instance.seed / "__pycache__").mkdir()
    (instance.seed / "__pycache__" / "sums.cpython-311.pyc").write_bytes(b"stale")
    (instance.seed / "script.sh").write_text("#!/bin/sh\n")
    (instance.seed / "script.sh").chmod(0o775)
    provider = LocalProvider(LimitSettings())
    baseline, perturbed = provider.create(instance), provider.create(instance)
    inject(baseline, ())
    inject(perturbed, [FileEdit("sums.py", b"changed = 1\n")])
    try:
        assert listing(baseline) == listing(perturbed)
        assert "sums.py 946684800.0000000000 644" in listing(baseline)
        assert "pycache" not in listing(baseline)
        log = "git log --all --format='%an %ae %ad %cn %cd %s' && git rev-list --all | wc -l"
        assert output(baseline, log) == output(perturbed, log)
        assert (
            output(perturbed, "git status --porcelain; git reflog; git stash list; git tag") == ""
        )
        hidden = "git fsck --unreachable --no-progress; git remote; ls .git/logs .git/hooks; true"
        assert output(perturbed, hidden) == ""
        assert "result - number" not in output(perturbed, "grep -r 'result - number' . ; true")
    finally:
        baseline.close()
        perturbed.close()


def test_equal_trees_give_equal_commits(make_instance: MakeInstance) -> None:
    instance = make_instance()
    provider = LocalProvider(LimitSettings())
    heads = set()
    for _ in range(2):
        environment = provider.create(instance)
        inject(environment, ())
        heads.add(output(environment, "git rev-parse HEAD"))
        environment.close()
    assert len(heads) == 1


def test_bytes_survive_attributes_odd_names_and_nested_repositories(
    make_instance: MakeInstance,
) -> None:
    instance = make_instance()
    seed = instance.seed
    (seed / ".gitattributes").write_text("* text=auto eol=crlf\n*.dat filter=lfs -text\n")
    (seed / "crlf.txt").write_bytes(b"a\r\nb\n")
    (seed / "x.dat").write_bytes(b"\0\1")
    (seed / "with space\nand newline.txt").write_bytes(b"odd")
    (seed / "hidden.log").write_bytes(b"ignored by .gitignore")
    subprocess.run(["git", "init", "-q", str(seed / "nested")], check=True)
    (seed / "nested" / "inner.py").write_text("x = 1\n")
    environment = LocalProvider(LimitSettings()).create(instance)
    inject(environment, ())
    assert output(environment, "git status --porcelain") == ""
    output(environment, "rm crlf.txt x.dat && git checkout -q -- . && test -f nested/inner.py")
    assert environment.read("crlf.txt") == b"a\r\nb\n"
    assert environment.read("hidden.log") == b"ignored by .gitignore"
    assert not (Path(environment.workdir) / "nested" / ".git").exists()
    environment.close()


def test_the_private_base_holds_ignored_files_too(
    make_instance: MakeInstance, tmp_path: Path
) -> None:
    instance = make_instance()
    (instance.seed / "hidden.log").write_bytes(b"ignored")
    environment = LocalProvider(LimitSettings()).create(instance)
    inject(environment, ())
    base = capture_base(environment, tmp_path / "base")
    names = run_git(["ls-tree", "-r", "--name-only", "refs/jagged/base"], git_dir=base).split()
    assert b"hidden.log" in names
    assert not any(name.startswith(b".git/") for name in names)
    environment.close()


def test_a_failing_step_is_infrastructure(make_instance: MakeInstance) -> None:
    environment = LocalProvider(LimitSettings()).create(make_instance())
    environment.exec(
        "mkdir bin; printf '#!/bin/sh\\nexit 9\\n' > bin/git; chmod +x bin/git", timeout=20
    )
    environment._variables["PATH"] = environment.workdir + "/bin:" + environment._variables["PATH"]
    with pytest.raises(EnvironmentFailure, match="injection failed"):
        inject(environment, ())
    environment.close()
