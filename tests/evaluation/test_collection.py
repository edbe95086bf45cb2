"""Results that no plugin collects: a log parser's, and those of an instance's own scripts."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.evaluation import Grade, GradeStatus, Patch, PatchedFile, TestStatus
from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.evaluation.grader import Grader
from tests.conftest import GOLD, MakeInstance

GRADER = Grader(LocalProvider(LimitSettings()), LimitSettings())
FIXED = Patch(GOLD.encode(), (PatchedFile("sums.py", 1, 1),))
PARSED = ResultsSource(ResultsMode.PARSER, "parse_log_pytest")
SUITE = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -rA -p no:cacheprovider tests"


def grade(instance: Instance, patch: Patch = FIXED) -> Grade:
    return GRADER.grade(instance, None, patch)


def test_a_log_parser(make_instance: MakeInstance) -> None:
    instance = make_instance(results=PARSED, test_command=f"echo noise >&2; {SUITE}")
    base = grade(instance, Patch(b""))
    assert base.status is GradeStatus.GRADED
    assert base.failed_fail_to_pass == instance.fail_to_pass
    assert base.tests["tests/test_sums.py::test_empty"] is TestStatus.PASSED
    fixed = grade(instance)
    assert fixed.resolved
    assert b"noise" in fixed.log
    assert b"PASSED tests/test_sums.py::test_total" in fixed.log


def test_a_longer_log_than_commands_may_print_is_read_whole(make_instance: MakeInstance) -> None:
    noise = "head -c 6000000 /dev/zero | tr '\\0' x; echo"
    command = f"{noise}; {SUITE}; code=$?; {noise}; exit $code"
    found = grade(make_instance(results=PARSED, test_command=command))
    assert found.resolved
    assert len(found.log) < 3_000_000


def test_passes_that_the_exit_code_denies_prove_nothing(make_instance: MakeInstance) -> None:
    lies = (
        "echo PASSED tests/test_sums.py::test_{total,label,empty}; printf 'PASSED %s\\n' a; exit 3"
    )
    instance = make_instance(
        results=PARSED, test_command=lies, fail_to_pass=("a",), pass_to_pass=()
    )
    found = grade(instance)
    assert found.tests["a"] is TestStatus.PASSED
    assert not found.resolved
    assert "tests passed and the command failed (exit 3)" in found.detail


def test_a_log_that_breaks_off_proves_nothing(make_instance: MakeInstance) -> None:
    command = "echo '>>>>> Start Test Output'; echo PASSED a"
    instance = make_instance(
        results=PARSED, test_command=command, fail_to_pass=("a",), pass_to_pass=()
    )
    assert "broke off" in grade(instance).detail
    ended = f"{command}; echo '>>>>> End Test Output'"
    assert grade(
        make_instance(results=PARSED, test_command=ended, fail_to_pass=("a",), pass_to_pass=())
    ).resolved


def test_a_log_without_tests(make_instance: MakeInstance) -> None:
    found = grade(make_instance(results=PARSED, test_command="echo nothing here; false"))
    assert found.status is GradeStatus.NO_TESTS
    assert found.detail == "no tests ran (exit 1): nothing here"


RUN = """echo to standard error >&2
PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -rA -p no:cacheprovider ${1//,/ } || true
"""
PARSER = """
import json, sys
tests = []
for line in open(sys.argv[1]):
    word, _, name = line.strip().partition(" ")
    if word in ("PASSED", "FAILED", "SKIPPED"):
        tests.append({"name": name.split(" - ")[0], "status": word})
assert "standard error" in open(sys.argv[2]).read()
json.dump({"tests": tests}, open(sys.argv[3], "w"))
"""


def scripted(make_instance: MakeInstance, run: str = RUN, parser: str = PARSER) -> Instance:
    scripts = (
        FileEdit("run_script.sh", run.encode()),
        FileEdit("parser.py", parser.encode()),
    )
    return make_instance(
        results=ResultsSource(ResultsMode.SCRIPTS),
        test_command="bash {scripts}/run_script.sh tests/test_sums.py",
        scripts=scripts,
    )


def test_the_instances_own_scripts(make_instance: MakeInstance) -> None:
    instance = scripted(make_instance)
    base = grade(instance, Patch(b""))
    assert base.status is GradeStatus.GRADED
    assert base.failed_fail_to_pass == instance.fail_to_pass
    assert base.failed_pass_to_pass == ()
    assert b"to standard error" in base.log
    assert grade(instance).resolved


@pytest.mark.parametrize(
    ("run", "parser", "detail"),
    [
        (RUN, "import nothing_like_it", "the instance's parser failed: ModuleNotFoundError"),
        (RUN, "", "the instance's parser wrote no results"),
        ("exit 1", PARSER, "the instance's parser failed: AssertionError"),
    ],
)
def test_scripts_that_fail_are_not_silently_unresolved(
    make_instance: MakeInstance, run: str, parser: str, detail: str
) -> None:
    found = grade(scripted(make_instance, run, parser))
    assert found.status is GradeStatus.NO_TESTS
    assert detail in found.detail
