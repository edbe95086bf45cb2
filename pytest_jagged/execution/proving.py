"""Prove a task instance without any agent, and find the tests that must keep passing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from pytest_jagged.contracts.evaluation import Grade, GradeStatus, TestStatus
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.errors import InstanceError
from pytest_jagged.evaluation.verdict import judge_instance
from pytest_jagged.instances.cache import cache_lock
from pytest_jagged.instances.identity import with_pass_to_pass
from pytest_jagged.records.atomic import write_json

__all__ = ["Proof", "RunTests", "prove", "resolve_pass_to_pass"]

_REPEATS = 3
_NAMED = 3  # tests named in one line


class RunTests(Protocol):
    """All per-test results of seed + *edits* + *diff* + the graded tests (`Grader.run_tests`)."""

    def __call__(
        self,
        instance: Instance,
        edits: Sequence[FileEdit] = (),
        *,
        diff: bytes = b"",
        overlay: bool = True,
    ) -> Grade: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """What repeated runs of the suite say of an instance; valid when there is no problem.

    `pass_to_pass` passed in every run, without and with the gold patch. `flaky` had different
    results in runs of the same tree.
    """

    problems: tuple[str, ...]
    pass_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.problems


def prove(instance: Instance, run_tests: RunTests, *, repeats: int = _REPEATS) -> Proof:
    """Run the suite *repeats* times on the base tree and as often on the gold-patched one.

    The base (that is, an empty patch) must fail every fail-to-pass test and pass every listed
    pass-to-pass test; the gold patch must pass all of them.
    """
    gold_patch = instance.gold_patch.encode("utf-8", "surrogateescape")
    base = [run_tests(instance) for _ in range(repeats)]
    gold = [run_tests(instance, diff=gold_patch) for _ in range(repeats)]
    broken = _not_graded("base", base) + _not_graded("gold", gold)
    if broken:
        return Proof(broken)
    problems = _base_problems(instance, base) + _gold_problems(instance, gold)
    flaky = sorted(_flaky(base) | _flaky(gold))
    steady = _always_passed([*base, *gold])
    if instance.pass_to_pass_pending:
        listed = [name for name in steady if name not in instance.fail_to_pass]
    else:
        listed = list(instance.pass_to_pass)
    return Proof(problems, tuple(listed), tuple(flaky))


def _not_graded(side: str, grades: Sequence[Grade]) -> tuple[str, ...]:
    for grade in grades:
        if grade.status is not GradeStatus.GRADED or _broke_off(grade):
            what = grade.status.value.replace("_", " ")
            return (f"{side}: the suite gave no verdict ({what}): {grade.detail}",)
    return ()


def _broke_off(grade: Grade) -> bool:
    """All required tests passed and yet the grader does not believe the suite."""
    return not (grade.resolved or grade.failed_fail_to_pass or grade.failed_pass_to_pass)


def _base_problems(instance: Instance, grades: Sequence[Grade]) -> tuple[str, ...]:
    solved: set[str] = set()
    lost: set[str] = set()
    for grade in grades:
        verdict = judge_instance(instance, grade.tests)
        solved |= set(instance.fail_to_pass) - set(verdict.failed_fail_to_pass)
        lost |= set(verdict.failed_pass_to_pass)
    return (
        *_problem("base passes", "fail-to-pass", solved, instance.fail_to_pass),
        *_problem("base fails", "pass-to-pass", lost, instance.pass_to_pass),
    )


def _gold_problems(instance: Instance, grades: Sequence[Grade]) -> tuple[str, ...]:
    failed: set[str] = set()
    missing: set[str] = set()
    for grade in grades:
        verdict = judge_instance(instance, grade.tests)
        missing |= set(verdict.missing)
        failed |= {*verdict.failed_fail_to_pass, *verdict.failed_pass_to_pass}
    failed -= missing
    return (
        *_problem("gold patch: not run:", "fail-to-pass", missing, instance.fail_to_pass),
        *_problem("gold patch: not run:", "pass-to-pass", missing, instance.pass_to_pass),
        *_problem("gold patch fails", "fail-to-pass", failed, instance.fail_to_pass),
        *_problem("gold patch fails", "pass-to-pass", failed, instance.pass_to_pass),
    )


def _problem(what: str, kind: str, found: set[str], required: Sequence[str]) -> tuple[str, ...]:
    names = [name for name in required if name in found]
    if not names:
        return ()
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (f"{what} {len(names)} {kind} test(s): {', '.join(names[:_NAMED])}{more}",)


def _flaky(grades: Sequence[Grade]) -> set[str]:
    names = {name for grade in grades for name in grade.tests}
    return {name for name in names if len({grade.tests.get(name) for grade in grades}) > 1}


def _always_passed(grades: Sequence[Grade]) -> list[str]:
    """In the order of the first run."""
    return [
        name
        for name in grades[0].tests
        if all(grade.tests.get(name) is TestStatus.PASSED for grade in grades)
    ]


def _silent(line: str) -> None:  # noqa: ARG001 - a progress callback
    return


def resolve_pass_to_pass(
    instance: Instance,
    run_tests: RunTests,
    cache: Path,
    progress: Callable[[str], None] = _silent,
) -> Instance:
    """The instance with its pass-to-pass list, and proven.

    A lock file that fits spares all of it. Otherwise the suite is run once per machine: three times
    per side where the list must be found, once where the author has written it.

    Raises:
        InstanceError: the instance does not hold; nothing measured on it would mean anything.
    """
    if instance.proven and not instance.pass_to_pass_pending:
        return instance
    path = cache / "proofs" / f"{instance.digest}.json"
    with cache_lock(path):
        found = _read(path)
        if found is None:
            progress(f"{instance.id}: checking the tests of the unchanged tree and of the fix")
            found = _prove_or_raise(instance, run_tests)
            write_json(path, {"pass_to_pass": found.pass_to_pass, "flaky": found.flaky})
    if instance.pass_to_pass_pending:
        return with_pass_to_pass(instance, found.pass_to_pass, found.flaky, proven=True)
    return replace(instance, flaky=found.flaky, proven=True)


def _read(path: Path) -> Proof | None:
    """None where there is no proof, or one that no version of ours wrote."""
    try:
        value: Mapping[str, list[str]] = json.loads(path.read_text("utf-8"))
        return Proof((), tuple(value["pass_to_pass"]), tuple(value["flaky"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _prove_or_raise(instance: Instance, run_tests: RunTests) -> Proof:
    repeats = _REPEATS if instance.pass_to_pass_pending else 1
    proof = prove(instance, run_tests, repeats=repeats)
    if not proof.valid:
        raise InstanceError(
            f"{instance.id}: {'; '.join(proof.problems)}; see jagged check for the whole story"
        )
    return proof
