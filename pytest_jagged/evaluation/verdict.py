"""Whether required tests hold (the rules of SWE-bench 5's grading)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.evaluation import TestStatus

__all__ = ["Verdict", "judge"]

_SOLVES = frozenset({TestStatus.PASSED, TestStatus.XFAILED, TestStatus.XPASSED})
_KEEPS = _SOLVES | {TestStatus.SKIPPED}


@dataclass(frozen=True, slots=True)
class Verdict:
    failed_fail_to_pass: tuple[str, ...]
    failed_pass_to_pass: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def resolved(self) -> bool:
        return not (self.failed_fail_to_pass or self.failed_pass_to_pass)


def judge(
    tests: Mapping[str, TestStatus], fail_to_pass: Sequence[str], pass_to_pass: Sequence[str]
) -> Verdict:
    """A fail-to-pass test must run and pass (a skip does not solve); a pass-to-pass test may skip.

    An id cut in the middle of a parameter (SWE-bench has such) counts as its only completion.
    """
    missing: list[str] = []

    def failed(required: Sequence[str], accepted: frozenset[TestStatus]) -> tuple[str, ...]:
        bad = []
        for name in required:
            status = _status(tests, name)
            if status is None:
                missing.append(name)
            if status not in accepted:
                bad.append(name)
        return tuple(bad)

    return Verdict(failed(fail_to_pass, _SOLVES), failed(pass_to_pass, _KEEPS), tuple(missing))


def _status(tests: Mapping[str, TestStatus], name: str) -> TestStatus | None:
    if name in tests:
        return tests[name]
    if "[" in name and not name.endswith("]"):
        completions = [other for other in tests if other.startswith(name)]
        if len(completions) == 1:
            return tests[completions[0]]
    return None
