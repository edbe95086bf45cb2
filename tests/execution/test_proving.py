"""Instances are proven, or refused, by running their tests; nothing here is simulated."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import EnvironmentFailure, InstanceError
from pytest_jagged.evaluation.grader import Grader
from pytest_jagged.execution.proving import RunTests, prove, resolve_pass_to_pass

SUITE = """\
import calc, sys

RESULTS = {
    "double": calc.double(2) == 4,
    "zero": calc.double(0) in (0, 1),
    "broken": False,
}
cases = "".join(
    '<testcase name="%s">%s</testcase>' % (name, "" if passed else "<failure/>")
    for name, passed in RESULTS.items()
)
open("out.xml", "w").write("<testsuite>" + cases + "</testsuite>")
"""
GOLD = """\
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def double(n):
-    return n + n + 1
+    return n + n
"""


@pytest.fixture
def run_tests() -> RunTests:
    limits = LimitSettings(test_s=20)
    return Grader(LocalProvider(limits), limits).run_tests


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Instance]:
    """An instance with three tests: one of the issue, one that holds, one that never passes."""

    def build(suite: str = SUITE, **changes: object) -> Instance:
        seed = tmp_path / "seed"
        seed.mkdir()
        (seed / "calc.py").write_text("def double(n):\n    return n + n + 1\n")
        instance = Instance(
            id="calc",
            problem_statement="double adds one",
            seed=seed,
            seed_digest="s",
            digest=json_digest([suite, repr(changes)]),
            test_command="python suite.py",
            results=ResultsSource(ResultsMode.JUNIT, "out.xml"),
            fail_to_pass=("double",),
            pass_to_pass=("zero",),
            gold_patch=GOLD,
            gold_files=("calc.py",),
            overlay=(FileEdit("suite.py", suite.encode()),),
            interpreter=sys.executable,
        )
        return replace(instance, **changes)  # type: ignore[arg-type]  # names of its own fields

    return build


def pending(instance: Instance) -> Instance:
    return replace(instance, pass_to_pass=(), pass_to_pass_pending=True)


def test_valid(make: Callable[..., Instance], run_tests: RunTests) -> None:
    proof = prove(make(), run_tests, repeats=2)
    assert (proof.problems, proof.pass_to_pass, proof.flaky) == ((), ("zero",), ())
    assert proof.valid


def test_list_is_what_always_passes(make: Callable[..., Instance], run_tests: RunTests) -> None:
    assert prove(pending(make()), run_tests, repeats=1).pass_to_pass == ("zero",)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"fail_to_pass": ("zero",)}, "base passes 1 fail-to-pass test(s): zero"),
        ({"pass_to_pass": ("zero", "broken")}, "base fails 1 pass-to-pass test(s): broken"),
        ({"pass_to_pass": ("double",)}, "base fails 1 pass-to-pass test(s): double"),
        (
            {"fail_to_pass": ("double", "absent")},
            "gold patch: not run: 1 fail-to-pass test(s): absent",
        ),
        (
            {"fail_to_pass": ("double", "broken")},
            "gold patch fails 1 fail-to-pass test(s): broken",
        ),
        (
            {"gold_patch": GOLD.replace("+    return n + n", "+    return n - n - 2 + n + n")},
            "gold patch fails 1 fail-to-pass test(s): double",
        ),
        (
            {"gold_patch": GOLD.replace("n + n + 1", "n + n + 2")},
            "gold: the suite gave no verdict (not applied): error: calc.py: patch does not apply",
        ),
        ({"test_command": "true"}, "base: the suite gave no verdict (no tests): no tests ran"),
    ],
)
def test_invalid(
    make: Callable[..., Instance],
    run_tests: RunTests,
    changes: dict[str, object],
    problem: str,
) -> None:
    proof = prove(make(**changes), run_tests, repeats=1)
    assert not proof.valid
    assert any(found.startswith(problem) for found in proof.problems), proof.problems


def test_many_tests_are_counted_not_listed(
    make: Callable[..., Instance], run_tests: RunTests
) -> None:
    absent = tuple(f"absent{n}" for n in range(9))
    (problem,) = prove(make(fail_to_pass=("double", *absent)), run_tests, repeats=1).problems
    assert problem.endswith("9 fail-to-pass test(s): absent0, absent1, absent2 and 6 more")


def test_hanging_suite(make: Callable[..., Instance]) -> None:
    limits = LimitSettings(test_s=1)
    hanging = make(test_command="sleep 60")
    proof = prove(hanging, Grader(LocalProvider(limits), limits).run_tests, repeats=1)
    assert proof.problems[0] == (
        "base: the suite gave no verdict (timed out): tests timed out after 1 s"
    )


def test_flaky_tests_are_found(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    """A counter outside the tree makes a test fail every other time."""
    counter = tmp_path / "counter"
    counter.write_text("")
    opened = f"with open({str(counter)!r}, 'a') as runs:\n"
    count = "    runs.write('x')\n    moody = runs.tell() % 2\n"
    instance = make(opened + count + SUITE.replace('"broken": False', '"moody": moody'))
    proof = prove(pending(instance), run_tests, repeats=2)
    assert proof.flaky == ("moody",)
    assert proof.pass_to_pass == ("zero",)


def test_resolve_finds_the_list_once(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    lines: list[str] = []
    instance = pending(make())
    first = resolve_pass_to_pass(instance, run_tests, tmp_path / "cache", lines.append)
    again = resolve_pass_to_pass(instance, run_tests, tmp_path / "cache", lines.append)
    assert first == again
    assert lines == ["calc: checking the tests of the unchanged tree and of the fix"]
    assert (first.pass_to_pass, first.proven, first.pass_to_pass_pending) == (
        ("zero",),
        True,
        False,
    )
    assert first.digest != instance.digest


def test_resolve_leaves_a_proven_instance_alone(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    instance = make(proven=True, test_command="false")
    assert resolve_pass_to_pass(instance, run_tests, tmp_path / "cache") is instance
    assert not (tmp_path / "cache").exists()


def test_resolve_keeps_the_written_list(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    instance = make()
    resolved = resolve_pass_to_pass(instance, run_tests, tmp_path / "cache")
    assert resolved == replace(instance, proven=True)


def test_resolve_refuses_a_base_that_does_not_fail(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    with pytest.raises(InstanceError, match=r"^calc: base passes 1 fail-to-pass") as caught:
        resolve_pass_to_pass(make(fail_to_pass=("zero",)), run_tests, tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_resolve_does_not_blame_the_instance_for_the_machine(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    instance = make(seed=tmp_path / "vanished")
    with pytest.raises(EnvironmentFailure):
        resolve_pass_to_pass(instance, run_tests, tmp_path / "cache")


def test_torn_proof_is_made_anew(
    make: Callable[..., Instance], run_tests: RunTests, tmp_path: Path
) -> None:
    instance = pending(make())
    first = resolve_pass_to_pass(instance, run_tests, tmp_path / "cache")
    (path,) = (tmp_path / "cache" / "proofs").glob("*.json")
    path.write_text('{"pass_to_pass": ["ze')
    assert resolve_pass_to_pass(instance, run_tests, tmp_path / "cache") == first
    assert json.loads(path.read_text())["pass_to_pass"] == ["zero"]


def check(folder: Path, cache: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest_jagged", "check", str(folder), "--repeats", "1", *options],
        env={"JAGGED_CACHE": str(cache), "PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "calc"
    for name, content in {
        "instance.yaml": (
            "id: calc\ntest_command: python suite.py\nresults: junit:out.xml\n"
            "fail_to_pass: [double]\npass_to_pass: auto\n"
        ),
        "issue.md": "double adds one\n",
        "gold.patch": GOLD,
        "repo/calc.py": "def double(n):\n    return n + n + 1\n",
        "tests/suite.py": SUITE,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def test_check_writes_lock_and_json(folder: Path, tmp_path: Path) -> None:
    done = check(folder, tmp_path / "cache", "--json", str(tmp_path / "out.json"))
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("calc "))
    version = "{}.{}".format(*sys.version_info[:2])
    assert row.split() == ["calc", version, "1", "1", "0", "valid"]
    lock = json.loads((folder / "instance.lock.json").read_text())
    assert (lock["pythons"], lock["pass_to_pass"]) == ([version], ["zero"])
    out = json.loads((tmp_path / "out.json").read_text())
    assert out["instances"][0]["valid"] is True
    assert out["instances"][0]["pass_to_pass"] == ["zero"]
    again = check(folder, tmp_path / "cache")
    assert again.returncode == 0
    assert json.loads((folder / "instance.lock.json").read_text()) == lock


def test_check_of_an_invalid_instance_is_a_finding(folder: Path, tmp_path: Path) -> None:
    text = (folder / "instance.yaml").read_text().replace("[double]", "[zero]")
    (folder / "instance.yaml").write_text(text)
    done = check(folder, tmp_path / "cache")
    assert done.returncode == 1
    assert "INVALID" in done.stdout
    assert "base passes 1 fail-to-pass test(s): zero" in done.stdout
    assert "Traceback" not in done.stderr
    assert not (folder / "instance.lock.json").exists()


def test_check_of_an_unloadable_instance_is_a_finding(folder: Path, tmp_path: Path) -> None:
    (folder / "issue.md").unlink()
    done = check(folder, tmp_path / "cache")
    assert done.returncode == 1
    assert "no file issue.md beside it" in done.stdout


@pytest.mark.parametrize(
    ("name", "says"), [("none", "no such folder"), ("", "no instance.yaml in it")]
)
def test_check_of_something_else_is_usage(tmp_path: Path, name: str, says: str) -> None:
    done = check(tmp_path / name, tmp_path / "cache")
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
