"""Whether an instance's tests tell a variant from its seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.evaluation import GradeStatus
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.sampling.seed_results import (
    Results,
    RunTests,
    differing,
    run_suite,
    seed_results,
    seed_results_again,
)
from pytest_jagged.sampling.variant import VariantStore

__all__ = ["Comparison", "compare_tests"]

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """`fault` says what the tests notice; None: nothing. `flaky` tests were left out."""

    fault: str | None
    compared: int = 0
    flaky: tuple[str, ...] = ()


def compare_tests(
    instance: Instance, edits: Sequence[FileEdit], run_tests: RunTests, store: VariantStore
) -> Comparison:
    """Every test must give what it gives on the seed.

    A difference counts if two runs of the variant show it and two runs of the seed agree about the
    test; otherwise the test is flaky and set apart, like those the instance names as flaky.
    """
    seed = seed_results(instance, run_tests, store)
    apart = frozenset(instance.flaky)
    first = run_suite(run_tests, instance, edits)
    if first.status is not GradeStatus.GRADED:
        return Comparison(f"tests {first.status.value.replace('_', ' ')}: {first.detail}")
    unequal = differing(seed, first.tests) - apart
    if unequal:
        second = run_suite(run_tests, instance, edits)
        again = seed_results_again(instance, run_tests, store)
        lasting = (unequal & differing(seed, second.tests)) - differing(seed, again)
        if lasting:
            return Comparison(_describe(sorted(lasting), seed, first.tests))
    compared = {*seed} - apart - unequal
    return Comparison(None, len(compared), tuple(sorted(unequal)))


def _describe(names: Sequence[str], seed: Results, variant: Results) -> str:
    def word(results: Results, name: str) -> str:
        return results[name].value if name in results else "not run"

    changes = [f"{n}: {word(seed, n)} -> {word(variant, n)}" for n in names[:_NAMED]]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} tests changed: {'; '.join(changes)}{more}"
