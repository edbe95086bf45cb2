"""What an instance's tests give on its seed: measured once, the yardstick of every certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_jagged.contracts.evaluation import Grade, GradeStatus, TestStatus
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.errors import InstanceError
from pytest_jagged.sampling.variant import VariantStore

__all__ = ["Results", "RunTests", "differing", "run_suite", "seed_results", "seed_results_again"]

Results = Mapping[str, TestStatus]


class RunTests(Protocol):
    """The instance's suite on seed + *edits* + *diff*, in a fresh environment."""

    def __call__(
        self, instance: Instance, edits: Sequence[FileEdit] = ..., *, diff: bytes = ...
    ) -> Grade: ...


def run_suite(run_tests: RunTests, instance: Instance, edits: Sequence[FileEdit]) -> Grade:
    """A suite that times out is run once more before that is believed."""
    grade = run_tests(instance, edits)
    return run_tests(instance, edits) if grade.status is GradeStatus.TIMED_OUT else grade


def differing(one: Results, other: Results) -> frozenset[str]:
    """Tests that gave different results, or that only one of the two ran."""
    return frozenset(name for name in {*one, *other} if one.get(name) != other.get(name))


def seed_results(instance: Instance, run_tests: RunTests, store: VariantStore) -> Results:
    """Per-test results on the seed, from the store if any process has measured them.

    Raises:
        InstanceError: the suite gives no results, a fail-to-pass test passes or a pass-to-pass
            test fails there, in two runs.
        InfrastructureError: the environment failed.
    """
    return _from_json(store.once(instance, "seed", lambda: _measure(instance, run_tests)))


def seed_results_again(instance: Instance, run_tests: RunTests, store: VariantStore) -> Results:
    """A second run on the seed, to tell flaky tests; made only when somebody asks."""
    return _from_json(store.once(instance, "seed-again", lambda: _measure(instance, run_tests)))


@dataclass(frozen=True, slots=True)
class _Contradiction:
    test: str
    text: str


def _measure(instance: Instance, run_tests: RunTests) -> dict[str, str]:
    grade = _graded(instance, run_tests)
    wrong = _contradictions(instance, grade)
    if wrong:
        grade = _graded(instance, run_tests)
        lasting = [w for w in _contradictions(instance, grade) if w in wrong]
        if lasting:
            raise InstanceError(
                f"{instance.id}: on the seed {lasting[0].test} {lasting[0].text};"
                f" mend the instance (jagged check {instance.id})"
            )
    return {name: status.value for name, status in sorted(grade.tests.items())}


def _graded(instance: Instance, run_tests: RunTests) -> Grade:
    grade = run_suite(run_tests, instance, ())
    if grade.status is not GradeStatus.GRADED:
        raise InstanceError(
            f"{instance.id}: the suite gives no results on the seed: {grade.detail};"
            f" mend the instance (jagged check {instance.id})"
        )
    return grade


def _contradictions(instance: Instance, grade: Grade) -> list[_Contradiction]:
    apart = frozenset(instance.flaky)
    passing = [t for t in instance.fail_to_pass if t not in grade.failed_fail_to_pass]
    found = [_Contradiction(t, "passes though it is named in fail_to_pass") for t in passing]
    found += [
        _Contradiction(t, "fails though it is named in pass_to_pass")
        for t in grade.failed_pass_to_pass
    ]
    return [contradiction for contradiction in found if contradiction.test not in apart]


def _from_json(value: Any) -> Results:
    return {name: TestStatus(status) for name, status in value.items()}
