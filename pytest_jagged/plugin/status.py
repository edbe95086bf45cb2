"""Words, letters and properties of items: a measured run is neither a pass nor a failure."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.variant import CertifiedVariant

__all__ = ["describe_certificate", "describe_record", "item_status", "properties"]

Scalar = str | int | float | bool
Status = tuple[str, str, tuple[str, Mapping[str, bool]]]

_WORDS: Mapping[str, tuple[str, str, str]] = {
    Outcome.RESOLVED.value: ("resolved", ".", "green"),
    Outcome.UNRESOLVED.value: ("unresolved", "u", "yellow"),
    Outcome.EMPTY_PATCH.value: ("unresolved", "u", "yellow"),
    Outcome.LIMIT_REACHED.value: ("unresolved", "l", "yellow"),
    Outcome.AGENT_FAILED.value: ("unresolved", "a", "yellow"),
    Outcome.INVALID_VARIANT.value: ("invalid variant", "i", "yellow"),
    Outcome.SKIPPED_BUDGET.value: ("skipped", "s", "yellow"),
}


def describe_record(
    record: RunRecord, *, reused: bool, own_item: bool = True
) -> list[tuple[str, Scalar]]:
    """Flat scalars only: anything else ends an xdist session without naming the cause.

    A user's own test that asks for a run is a test: it keeps pytest's words.
    """
    name = "jagged_outcome" if own_item else "jagged_run_outcome"
    values: list[tuple[str, Scalar | None]] = [
        (name, record.outcome.value),
        ("jagged_condition", record.condition.name),
        ("jagged_resolved", record.resolved),
        ("jagged_reused", reused),
        ("jagged_exit", None if record.exit is None else record.exit.value),
        ("jagged_steps", record.steps),
        ("jagged_cost_usd", record.cost_usd),
        ("jagged_seconds", round(record.timing.total_s, 3)),
    ]
    return [(name, value) for name, value in values if value is not None]


def describe_certificate(certified: CertifiedVariant, *, reused: bool) -> list[tuple[str, Scalar]]:
    certificate = certified.certificate
    return [
        ("jagged_certificate", "certified" if certificate.certified else "invalid"),
        ("jagged_reused", reused),
        ("jagged_rejected_draws", len(certificate.rejected)),
        ("jagged_unchanged", certificate.unchanged),
    ]


def properties(report: pytest.TestReport) -> dict[str, object]:
    return dict(report.user_properties)


def item_status(report: object) -> Status | None:
    """Category, letter and word for one of our items; None leaves it to pytest."""
    if not isinstance(report, pytest.TestReport):
        return None
    given = properties(report)
    outcome = given.get("jagged_outcome")
    if "jagged_certificate" in given and report.when == "call":
        if given["jagged_certificate"] == "invalid":
            return "invalid variant", "i", ("INVALID VARIANT", {"yellow": True})
        return "certified", "c", ("CERTIFIED", {"green": True})
    if not isinstance(outcome, str) or outcome not in _WORDS:
        return None
    if report.failed or (report.passed and report.when != "call"):
        return None
    category, letter, colour = _WORDS[outcome]
    word = outcome.replace("_", " ").upper()
    if given.get("jagged_reused"):
        word += " (reused)"
    return category, letter, (word, {colour: True})
