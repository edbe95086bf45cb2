"""Grading in a fresh environment, with every way a suite can end told apart."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.evaluation import Grade, GradeStatus, Patch, PatchedFile, TestStatus
from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import ConfigError, InstanceError
from pytest_jagged.evaluation.grader import Grader
from tests.conftest import GOLD, SOURCE, MakeInstance

GRADER = Grader(LocalProvider(LimitSettings()), LimitSettings())
FIXED = Patch(GOLD.encode(), (PatchedFile("sums.py", 1, 1),))
NOTHING = Patch(b"")


def first_line(statement: str) -> Patch:
    """A patch that puts *statement* at the head of sums.py."""
    head = "--- a/sums.py\n+++ b/sums.py\n@@ -1,1 +1,2 @@\n"
    return Patch(f'{head}+{statement}\n """Sums of lists."""\n'.encode())


def test_base_and_gold(make_instance: MakeInstance) -> None:
    instance = make_instance()
    base = GRADER.grade(instance, None, NOTHING)
    assert base.status is GradeStatus.GRADED
    assert not base.resolved
    assert base.failed_fail_to_pass == instance.fail_to_pass
    assert base.failed_pass_to_pass == ()
    gold = GRADER.grade(instance, None, FIXED)
    assert gold.resolved
    assert set(gold.tests.values()) == {TestStatus.PASSED}


def test_the_variant_is_what_is_graded(make_instance: MakeInstance) -> None:
    edited = SOURCE.replace("result - number", "number * 1 + result").encode()
    variant = Variant("sums", 1, 0, 0, (), (FileEdit("sums.py", edited),), ())
    assert GRADER.grade(make_instance(), variant, NOTHING).resolved
    refused = GRADER.grade(make_instance(), variant, FIXED)
    assert refused.status is GradeStatus.NOT_APPLIED
    assert "sums.py" in refused.detail


def test_the_overlay_wins_over_what_the_agent_left(make_instance: MakeInstance) -> None:
    cheat = (
        "--- a/tests/test_sums.py\n+++ b/tests/test_sums.py\n@@ -1,1 +1,2 @@\n"
        "+import sys\n from sums import label, total\n"
    )
    grade = GRADER.grade(make_instance(), None, Patch(cheat.encode()))
    assert not grade.resolved
    assert len(grade.tests) == 3


def test_a_broken_import_is_the_patchs_failure(make_instance: MakeInstance) -> None:
    grade = GRADER.grade(make_instance(), None, first_line("import nothing_like_it"))
    assert grade.status is GradeStatus.GRADED
    assert not grade.resolved
    assert len(grade.missing) == 3


def run(instance: Instance, files: dict[str, str]) -> Grade:
    edits = [FileEdit(path, text.encode()) for path, text in files.items()]
    return GRADER.run_tests(instance, edits)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("assert True", "passed"),
        ("assert False", "failed"),
        ("import pytest; pytest.skip('x')", "skipped"),
        ("import pytest; pytest.xfail('x')", "xfailed"),
    ],
)
def test_statuses(make_instance: MakeInstance, body: str, status: str) -> None:
    grade = run(make_instance(), {"tests/test_x.py": f"def test_x():\n    {body}\n"})
    assert grade.tests["tests/test_x.py::test_x"].value == status


def test_errors_in_fixtures_and_odd_ids(make_instance: MakeInstance) -> None:
    text = (
        "import pytest\n"
        "@pytest.fixture\ndef bad():\n    yield\n    raise OSError\n"
        "def test_teardown(bad): pass\n"
        "@pytest.mark.parametrize('x', ['a b', 'line\\nbreak', 'é', 'x::y'])\n"
        "def test_ids(x): pass\n"
        "@pytest.mark.xfail(strict=False)\ndef test_xpass(): pass\n"
    )
    tests = run(make_instance(), {"tests/test_x.py": text}).tests
    assert tests["tests/test_x.py::test_teardown"] is TestStatus.ERROR
    assert tests["tests/test_x.py::test_ids[a b]"] is TestStatus.PASSED
    assert tests["tests/test_x.py::test_ids[line\\nbreak]"] is TestStatus.PASSED
    assert tests["tests/test_x.py::test_xpass"] is TestStatus.XPASSED
    assert sum("test_ids" in name for name in tests) == 4


def test_a_suite_that_dies_midway_proves_nothing(make_instance: MakeInstance) -> None:
    text = "def test_a(): pass\ndef test_b():\n    import os; os._exit(0)\n"
    instance = make_instance(fail_to_pass=("tests/test_a.py::test_a",), pass_to_pass=(), overlay=())
    grade = run(instance, {"tests/test_a.py": text})
    assert grade.tests["tests/test_a.py::test_a"] is TestStatus.PASSED
    assert not grade.resolved
    assert "broke off" in grade.detail


def test_the_graded_code_cannot_find_the_results_file(make_instance: MakeInstance) -> None:
    text = "import os\ndef test_a():\n    assert 'RESULTS_FILE' not in os.environ\n"
    grade = run(make_instance(), {"tests/test_a.py": text})
    assert grade.tests["tests/test_a.py::test_a"] is TestStatus.PASSED


def test_no_tests_and_time_out(make_instance: MakeInstance) -> None:
    instance = make_instance(test_command="python -m pytest -q --co -k nothing tests; true")
    assert GRADER.run_tests(instance).status is GradeStatus.NO_TESTS
    limits = LimitSettings(test_s=1)
    slow = Grader(LocalProvider(limits), limits)
    grade = slow.grade(make_instance(), None, first_line("import time; time.sleep(60)"))
    assert grade.status is GradeStatus.TIMED_OUT
    assert "after 1 s" in grade.detail


def test_other_ways_to_collect(make_instance: MakeInstance) -> None:
    junit = make_instance(
        test_command="python -m pytest -q tests --junitxml=out.xml",
        results=ResultsSource(ResultsMode.JUNIT, "out.xml"),
        fail_to_pass=("tests.test_sums::test_total",),
        pass_to_pass=("tests.test_sums::test_empty",),
    )
    assert not GRADER.grade(junit, None, NOTHING).resolved
    assert GRADER.grade(junit, None, FIXED).resolved
    code = make_instance(
        test_command="python -c 'import sums; assert sums.total([1]) == 1'",
        results=ResultsSource(ResultsMode.EXIT_CODE),
        fail_to_pass=("exit_code",),
        pass_to_pass=(),
    )
    assert not GRADER.grade(code, None, NOTHING).resolved
    assert GRADER.grade(code, None, FIXED).resolved
    unknown = make_instance(results=ResultsSource(ResultsMode.PARSER, "djagno"))
    with pytest.raises(ConfigError, match="no log parser 'djagno'; did you mean 'django'"):
        GRADER.run_tests(unknown)


def test_an_instance_without_tests_is_refused(make_instance: MakeInstance) -> None:
    with pytest.raises(InstanceError, match="neither fail_to_pass nor pass_to_pass"):
        GRADER.grade(make_instance(fail_to_pass=(), pass_to_pass=()), None, FIXED)


def test_an_unexplained_failure_of_the_command_proves_nothing(make_instance: MakeInstance) -> None:
    failing = make_instance(test_command="python -m pytest -q tests; exit 7")
    grade = GRADER.grade(failing, None, FIXED)
    assert not grade.resolved
    assert grade.failed_fail_to_pass == ()
    assert grade.detail == "tests passed and the command failed (exit 7)"


def test_an_early_and_friendly_end_proves_nothing(make_instance: MakeInstance) -> None:
    text = (
        "def test_a(): pass\n"
        "def test_b():\n    import pytest; pytest.exit('done', returncode=0)\n"
        "def test_c(): pass\n"
    )
    instance = make_instance(fail_to_pass=("tests/test_a.py::test_a",), pass_to_pass=(), overlay=())
    grade = run(instance, {"tests/test_a.py": text})
    assert grade.tests["tests/test_a.py::test_a"] is TestStatus.PASSED
    assert not grade.resolved
    assert "never ran" in grade.detail


def test_each_session_of_a_command_counts(make_instance: MakeInstance) -> None:
    once = "python -m pytest -q tests/test_sums.py"
    assert GRADER.grade(make_instance(test_command=f"{once} && {once}"), None, FIXED).resolved
    broken = f"{once}; python -m pytest -q tests/test_dies.py; true"
    instance = make_instance(
        test_command=broken,
        overlay=(FileEdit("tests/test_dies.py", b"def test_x():\n    import os; os._exit(0)\n"),),
    )
    grade = GRADER.grade(instance, None, FIXED)
    assert not grade.resolved
    assert "broke off" in grade.detail


def test_a_junit_file_of_the_patch_is_not_read(make_instance: MakeInstance) -> None:
    forged = b'<testsuite><testcase name="a"/></testsuite>'
    junit = make_instance(
        test_command="true",
        results=ResultsSource(ResultsMode.JUNIT, "out.xml"),
        fail_to_pass=("a",),
        pass_to_pass=(),
    )
    grade = GRADER.run_tests(junit, [FileEdit("out.xml", forged)])
    assert grade.status is GradeStatus.NO_TESTS
    assert "no JUnit file" in grade.detail


def test_paths_of_the_instance_hold_while_grading(make_instance: MakeInstance) -> None:
    text = (
        "import os\ndef test_x():\n    assert os.environ['PYTHONPATH'].startswith('/elsewhere:')\n"
    )
    instance = make_instance(env={"PYTHONPATH": "/elsewhere:."})
    grade = run(instance, {"tests/test_x.py": text})
    assert grade.tests["tests/test_x.py::test_x"] is TestStatus.PASSED


def test_a_patch_is_applied_byte_for_byte_inside_a_repository(
    make_instance: MakeInstance,
) -> None:
    """Containers bring their own history; neither its configuration nor its attributes count."""
    text = "def test_x():\n    assert open('sums.py', 'rb').read().count(b'\\r') == 0\n"
    instance = make_instance(
        overlay=(FileEdit("tests/test_x.py", text.encode()),),
        fail_to_pass=("tests/test_x.py::test_x",),
        pass_to_pass=(),
    )
    config = b"[core]\n\trepositoryformatversion = 0\n\tautocrlf = true\n\teol = crlf\n"
    repository = [
        FileEdit(".git/HEAD", b"ref: refs/heads/main\n"),
        FileEdit(".git/config", config),
        FileEdit(".git/refs/x", b""),
        FileEdit(".git/objects/x", b""),
        FileEdit(".gitattributes", b"* text eol=crlf\n"),
    ]
    assert GRADER.run_tests(instance, repository, diff=FIXED.diff).resolved
