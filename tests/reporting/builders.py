"""A study of records for reporting tests."""

from __future__ import annotations

from dataclasses import replace

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord, VariantSummary
from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.report import StudyDescription
from tests.records.builders import record

STUDY = StudyDescription("s", "noop", "1", None, "native", 0, 4)
STATISTICS = StatisticsSettings(resamples=500)


def variant(*, unchanged: bool = False, gold_unchanged: bool = False) -> VariantSummary:
    solves = "yes" if not unchanged else "unknown"
    return VariantSummary("k", ("x",), {}, unchanged, gold_unchanged, solves, 0.1, 0.2, ("a.py",))


def runs(
    instance: str,
    condition: str,
    outcomes: str,
    *,
    steps: int | None = 3,
    cost: float | None = None,
) -> list[RunRecord]:
    """One record a letter: r resolved, u unresolved, e infrastructure error, b budget."""
    words = {
        "r": Outcome.RESOLVED,
        "u": Outcome.UNRESOLVED,
        "e": Outcome.INFRASTRUCTURE_ERROR,
        "b": Outcome.SKIPPED_BUDGET,
        "i": Outcome.INVALID_VARIANT,
    }
    made = [
        record(instance, condition, index, words[letter], steps=steps, cost=cost)
        for index, letter in enumerate(outcomes, start=1)
        if letter != "-"
    ]
    if condition == "perturbed":
        return [replace(r, variant=variant()) for r in made]
    return made


def planned(
    instances: str, count: int, conditions: tuple[str, ...] = ("baseline", "perturbed")
) -> list[Case]:
    return [
        record(instance, condition, index).case
        for index in range(1, count + 1)
        for instance in instances
        for condition in conditions
    ]
