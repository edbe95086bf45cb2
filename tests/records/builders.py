"""Records for tests."""

from __future__ import annotations

from pytest_jagged.contracts.agent import Exit
from pytest_jagged.contracts.case import Case, Condition
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord, Timing, VariantSummary


def default_key(case: Case) -> str:
    return f"{case.instance_id}-{case.condition.name}-{case.index}".ljust(16, "0")


def record(
    instance: str = "thing",
    condition: str = "baseline",
    index: int = 1,
    outcome: Outcome = Outcome.RESOLVED,
    *,
    key: str | None = None,
    steps: int | None = 3,
    cost: float | None = None,
    variant: VariantSummary | None = None,
    detail: str = "",
) -> RunRecord:
    case = Case(instance, Condition.parse(condition), index, index)
    return RunRecord(
        key=key or default_key(case),
        study="s",
        case=case,
        outcome=outcome,
        exit=Exit.SUBMITTED if outcome.is_measured else None,
        detail=detail,
        agent="noop",
        steps=steps,
        cost_usd=cost,
        timing=Timing(agent_s=1.5, total_s=2.0),
        variant=variant,
        finished_at="2026-01-01T00:00:00+00:00",
    )
