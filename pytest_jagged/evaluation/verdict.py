"""Whether required tests hold (the rules of SWE-bench 5's grading)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.contracts.instance import Instance

__all__ = ["Verdict", "judge", "judge_instance"]

_SOLVES = frozenset({TestStatus.PASSED, TestStatus.XFAILED, TestStatus.XPASSED})
_KEEPS = _SOLVES | {TestStatus.SKIPPED}
_ONLY_PASSED = frozenset({TestStatus.PASSED})
_QUOTES = " \t'\""


@dataclass(frozen=True, slots=True)
class Verdict:
    failed_fail_to_pass: tuple[str, ...]
    failed_pass_to_pass: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def resolved(self) -> bool:
        return not (self.failed_fail_to_pass or self.failed_pass_to_pass)


def judge_instance(instance: Instance, tests: Mapping[str, TestStatus]) -> Verdict:
    return judge(
        tests,
        instance.fail_to_pass,
        instance.pass_to_pass,
        only_passed=instance.results.only_passed,
    )


def judge(
    tests: Mapping[str, TestStatus],
    fail_to_pass: Sequence[str],
    pass_to_pass: Sequence[str],
    *,
    only_passed: bool = False,
) -> Verdict:
    """A fail-to-pass test must run and pass (a skip does not solve); a pass-to-pass test may skip.
    With *only_passed* (SWE-bench Pro) neither may skip or be expected to fail.

    An id cut in the middle of a parameter (SWE-bench Verified has 676) counts as what it is the
    beginning of, if that is one test or all of them agree; one that lost a quote or a blank at its
    end (Pro has such) as the only test that differs in no more.
    """
    missing: list[str] = []

    def failed(required: Sequence[str], accepted: frozenset[TestStatus]) -> tuple[str, ...]:
        bad = []
        for name in required:
            found = _statuses(tests, name)
            if not found:
                missing.append(name)
            if not found or not accepted.issuperset(found):
                bad.append(name)
        return tuple(bad)

    solves, keeps = (_ONLY_PASSED, _ONLY_PASSED) if only_passed else (_SOLVES, _KEEPS)
    return Verdict(failed(fail_to_pass, solves), failed(pass_to_pass, keeps), tuple(missing))


def _statuses(tests: Mapping[str, TestStatus], name: str) -> list[TestStatus]:
    """The statuses of the tests that *name* stands for; none where that cannot be told."""
    if name in tests:
        return [tests[name]]
    if name.count("[") > name.count("]"):
        completions = [status for other, status in tests.items() if other.startswith(name)]
        agree = len({status in _SOLVES for status in completions}) == 1
        return completions if agree else []
    plain = name.strip(_QUOTES)
    alike = [status for other, status in tests.items() if other.strip(_QUOTES) == plain]
    return alike if len(alike) == 1 else []
