"""Whatever an agent does to the tree and to git, its patch is the difference of the trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_jagged.contracts.evaluation import Patch
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.injection import capture_base, inject
from pytest_jagged.environments.local import LocalEnvironment, LocalProvider
from pytest_jagged.evaluation.patch import take_patch
from tests.conftest import MakeInstance

Work = Callable[[str], Patch]
FIX = "sed -i 's/result - number/result + number/' sums.py\n"


class Bench:
    """An injected environment, its private base, and a fresh one to apply patches to."""

    def __init__(self, instance: Instance, private: Path) -> None:
        self.instance = instance
        self.environment = LocalProvider(LimitSettings()).create(instance)
        inject(self.environment, ())
        self.base = capture_base(self.environment, private)

    def patch(self, script: str) -> Patch:
        self.environment.exec(script, timeout=60)
        return take_patch(self.environment, self.base, self.instance)

    def applied(self, patch: Patch) -> LocalEnvironment:
        fresh = LocalProvider(LimitSettings()).create(self.instance)
        done = fresh.exec(["git", "apply", "--binary", "-"], timeout=60, stdin=patch.diff)
        assert done.ok, done.stderr
        return fresh


@pytest.fixture
def bench(make_instance: MakeInstance, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(make_instance(), tmp_path / "private")
    yield made
    made.environment.close()


def paths(patch: Patch) -> list[str]:
    return [file.path for file in patch.files]


def test_nothing_done_is_an_empty_patch(bench: Bench) -> None:
    patch = bench.patch("git status; ls")
    assert patch.is_empty
    assert patch.diff == b""


@pytest.mark.parametrize(
    "script",
    [
        FIX,
        FIX + "git add -A && git commit -qm done",
        FIX + "git commit -qam done && git checkout -q -b other && git gc -q",
        FIX + "rm -rf .git",
        FIX + "rm -rf .git && git init -q && git add -A && git commit -qm mine",
        FIX + "git stash -q; git stash apply -q",
        FIX + "git commit -qam x && git reset -q --soft HEAD~1 2>/dev/null; true",
        FIX + "echo '*' > .git/info/exclude",
        FIX + "git config core.fsmonitor 'touch /tmp/never'; git config core.worktree /tmp",
        FIX + "echo ref: nowhere > .git/HEAD; chmod -R 000 .git",
    ],
)
def test_the_state_of_git_does_not_matter(bench: Bench, script: str) -> None:
    patch = bench.patch(script)
    assert paths(patch) == ["sums.py"]
    assert (patch.files[0].added, patch.files[0].removed) == (1, 1)


def test_a_reverted_edit_is_no_edit(bench: Bench) -> None:
    assert bench.patch(FIX + "git checkout -q .").is_empty


def test_every_kind_of_change_applies_exactly(bench: Bench) -> None:
    script = (
        FIX
        + "head -c 3000 /dev/urandom > data.bin\n"
        + "printf 'no newline' > text.txt; printf 'a\\r\\nb\\r\\n' > crlf.txt\n"
        + "ln -s sums.py link; chmod +x sums.py; mkdir -p new/pkg; touch new/pkg/__init__.py\n"
        + "rm .gitignore; printf x > 'with space.txt'; printf x > \"$(printf 'caf\\351')\"\n"
        + "printf '* text=auto eol=crlf\\n*.txt filter=x diff=y\\n' > .gitattributes\n"
    )
    patch = bench.patch(script)
    fresh = bench.applied(patch)
    want, have = Path(bench.environment.workdir), Path(fresh.workdir)
    names = {p.relative_to(want) for p in want.rglob("*")}
    names = {name for name in names if ".git" not in name.parts}
    assert names == {p.relative_to(have) for p in have.rglob("*")}
    for name in names:
        if (want / name).is_file():
            assert (want / name).read_bytes() == (have / name).read_bytes(), name
            assert (want / name).stat().st_mode == (have / name).stat().st_mode, name
    assert (have / "link").is_symlink()
    fresh.close()


def test_tests_are_dropped_and_named(bench: Bench) -> None:
    patch = bench.patch(FIX + "echo > tests/test_sums.py; echo > tests/test_new.py; rm -f tests/x")
    assert paths(patch) == ["sums.py"]
    assert patch.dropped_tests == ("tests/test_new.py", "tests/test_sums.py")


def test_test_configuration_is_named_but_kept(bench: Bench) -> None:
    patch = bench.patch("printf '[pytest]\\n' > pytest.ini; printf '' > setup.cfg")
    assert patch.touched_test_config == ("pytest.ini", "setup.cfg")
    assert paths(patch) == ["pytest.ini", "setup.cfg"]


def test_caches_and_ignored_files_stay_out(bench: Bench) -> None:
    script = (
        "mkdir -p __pycache__ pkg/.pytest_cache build; touch __pycache__/a.pyc b.pyc run.log\n"
        "touch pkg/.pytest_cache/x build/out.py kept.py; echo kept.py > .gitignore\n"
    )
    patch = bench.patch(script)
    assert paths(patch) == [".gitignore", "kept.py"]
    assert patch.ignored_new == ("build/out.py", "run.log")


def test_a_nested_repository_is_plain_files(bench: Bench) -> None:
    make = "mkdir sub && cd sub && git init -q && echo 'x = 1' > mod.py"
    assert paths(bench.patch(f"{make} && git add . && git commit -qm x")) == ["sub/mod.py"]


@pytest.mark.parametrize(
    "script", ["cd .. && rm -rf testbed", "cd .. && mv testbed t && ln -s /etc testbed"]
)
def test_a_tree_that_is_gone_is_everything_deleted(bench: Bench, script: str) -> None:
    patch = bench.patch(script)
    assert paths(patch) == [".gitignore", "sums.py"]
    assert b"root:" not in patch.diff


def test_hooks_of_the_tree_are_not_run(bench: Bench, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    hook = f"printf '#!/bin/sh\\ntouch {trap}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h"
    names = "post-index-change pre-commit fsmonitor"
    script = f"mkdir -p .git/hooks; for h in {names}; do {hook}; done\n"
    config = "".join(
        f"git config {key} 'touch {trap}'\n" for key in ("filter.x.clean", "diff.x.textconv")
    )
    bench.patch(script + config + "echo '* filter=x diff=x' > .gitattributes\n" + FIX)
    assert not trap.exists()
