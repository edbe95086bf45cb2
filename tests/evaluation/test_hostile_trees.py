"""Trees that git itself would refuse, misread or run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_jagged.contracts.evaluation import Patch
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.injection import capture_base, inject
from pytest_jagged.environments.local import LocalEnvironment, LocalProvider
from pytest_jagged.evaluation.patch import take_patch
from tests.conftest import MakeInstance

PROVIDER = LocalProvider(LimitSettings())


@dataclass
class Work:
    """What a script makes of the instance's tree, as a patch and as it stands."""

    instance: Instance
    environment: LocalEnvironment
    base: Path

    def patch(self, script: str) -> Patch:
        assert self.environment.exec(script, timeout=60).ok
        return take_patch(self.environment, self.base, self.instance)

    def check_applies(self, patch: Patch) -> None:
        """On a fresh seed the patch gives the very tree that it was taken from."""
        fresh = PROVIDER.create(self.instance)
        try:
            names = ["-c", "core.protectNTFS=false"]
            command = ["git", *names, "apply", "--binary", "-"]
            done = fresh.exec(command, timeout=60, stdin=patch.diff)
            assert done.ok, done.stderr
            trees = [self.environment.workdir, fresh.workdir]
            compare = ["diff", "-r", "--no-dereference", "-x", ".git", *trees]
            found = subprocess.run(compare, capture_output=True, check=False)
            assert found.stdout == b""
        finally:
            fresh.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Instance], Work]]:
    made: list[LocalEnvironment] = []

    def make(instance: Instance) -> Work:
        environment = PROVIDER.create(instance)
        made.append(environment)
        inject(environment, ())
        return Work(instance, environment, capture_base(environment, tmp_path / "private"))

    yield make
    for environment in made:
        environment.close()


@pytest.fixture
def work(start: Callable[[Instance], Work], make_instance: MakeInstance) -> Work:
    return start(make_instance())


def paths(patch: Patch) -> list[str]:
    return [file.path for file in patch.files]


@pytest.mark.parametrize(
    ("script", "changed"),
    [
        ("rm sums.py; mkfifo sums.py other", ["sums.py"]),
        ("mkdir .GIT pkg pkg/.GiT; touch .GIT/x pkg/.GiT/x pkg/a.py", ["pkg/a.py"]),
        ("mkdir 'git~1' .git.; touch 'git~1/x' .git./x 'a\\b'", [".git./x", "a\\b", "git~1/x"]),
        ("mkdir s; echo 'gitdir: /x' > s/.git; touch s/m.py", ["s/m.py"]),
        ("rm -rf .git; ln -s /nowhere .git; mkdir s; ln -s /x s/.git; touch s/m.py", ["s/m.py"]),
        ("rm sums.py; mkdir sums.py; touch sums.py/a.py", ["sums.py", "sums.py/a.py"]),
        ("rm .gitignore; mkdir .gitignore; touch .gitignore/x", [".gitignore", ".gitignore/x"]),
        ("ln -s . loop; ln -s dead dead; ln -s /etc/passwd p", ["dead", "loop", "p"]),
        ("chmod 755 sums.py", ["sums.py"]),
        ("touch ' a' 'b ' '\"c\"' $'d\\te' $'f\\ng'", [" a", '"c"', "b ", "d\te", "f\ng"]),
    ],
)
def test_odd_trees_give_patches_that_apply(work: Work, script: str, changed: list[str]) -> None:
    patch = work.patch(script)
    assert paths(patch) == changed
    work.check_applies(patch)


@pytest.mark.parametrize("what", ["mkdir ../o && ln -s ../o tests", "echo hi > tests"])
def test_the_tests_folder_cannot_be_replaced(work: Work, what: str) -> None:
    patch = work.patch(f"rm -rf tests && {what}")
    assert patch.is_empty
    assert patch.dropped_tests == ("tests/test_sums.py",)


def test_an_edit_with_size_and_time_put_back_is_seen(work: Work) -> None:
    script = (
        "touch -r sums.py ../stamp && sed 's/result - number/result + number/' sums.py > ../new"
        " && cat ../new > sums.py && touch -r ../stamp sums.py"
    )
    assert paths(work.patch(script)) == ["sums.py"]


def test_what_the_owner_may_not_read_is_read(work: Work) -> None:
    patch = work.patch("mkdir pkg; echo 1 > pkg/m.py; chmod 111 sums.py; chmod 000 pkg/m.py pkg")
    assert paths(patch) == ["pkg/m.py", "sums.py"]
    assert b"old mode 100644\nnew mode 100755" in patch.diff


@pytest.mark.parametrize(
    "attributes",
    [
        "* text=auto eol=crlf",
        "* working-tree-encoding=UTF-16",
        "* ident export-subst\n*.py filter=lfs diff=lfs merge=lfs -text",
        "* binary",
    ],
)
def test_attributes_of_the_base_change_no_byte(
    start: Callable[[Instance], Work], make_instance: MakeInstance, attributes: str
) -> None:
    instance = make_instance()
    (instance.seed / ".gitattributes").write_text(attributes + "\n")
    (instance.seed / "crlf.txt").write_bytes(b"a\r\nb\n$Id$\nc\r\n")
    (instance.seed / "lf.txt").write_bytes(b"a\nb\n$Id: 12 $\nc")
    work = start(instance)
    patch = work.patch("printf 'x\\r\\n' >> crlf.txt; printf 'y\\nz' >> lf.txt; echo >> sums.py")
    assert paths(patch) == ["crlf.txt", "lf.txt", "sums.py"]
    assert not any(file.binary for file in patch.files)
    work.check_applies(patch)


def test_environments_and_dumps_stay_out(work: Work) -> None:
    script = (
        "mkdir -p mine/lib build; touch mine/pyvenv.cfg mine/lib/x.py kept.py\n"
        "truncate -s 40M core; touch build/out.py"
    )
    patch = work.patch(script)
    assert paths(patch) == ["kept.py"]
    assert patch.ignored_new == ("build/out.py", "core")


def test_test_configuration_is_named_where_it_is_dropped_too(work: Work) -> None:
    patch = work.patch("touch conftest.py sitecustomize.py")
    assert paths(patch) == ["sitecustomize.py"]
    assert patch.dropped_tests == ("conftest.py",)
    assert patch.touched_test_config == ("conftest.py", "sitecustomize.py")


def test_folders_that_only_look_like_caches_are_kept_when_the_base_has_them(
    start: Callable[[Instance], Work], make_instance: MakeInstance
) -> None:
    instance = make_instance()
    (instance.seed / "node_modules").mkdir()
    (instance.seed / "node_modules" / "a.js").write_text("1\n")
    patch = start(instance).patch("echo 2 > node_modules/a.js; echo 3 > node_modules/b.js")
    assert paths(patch) == ["node_modules/a.js"]
