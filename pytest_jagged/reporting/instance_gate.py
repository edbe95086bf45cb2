"""The gate on single instances: exact tests against the margin, Holm over instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.exact import exceeds_margin_p
from pytest_jagged.statistics.gate import Verdict
from pytest_jagged.statistics.multiplicity import holm

if TYPE_CHECKING:
    from pytest_jagged.reporting.report import Configuration, InstanceRow

__all__ = ["judge_instances"]

_NAMED = 3


def judge_instances(
    configuration: Configuration, margin: float, confidence: float
) -> tuple[Verdict, str]:
    """Degraded: Holm's procedure finds an instance above the margin (in rates), one-sided at
    (1 − confidence)/2 for all of them together. Robust: every instance is shown to lie below it.
    """
    rows = [row for row in configuration.instances if row.interval is not None]
    if not rows:
        return Verdict.INCONCLUSIVE, "inconclusive: no instance has runs in both conditions"
    level = (1 - confidence) / 2
    above = holm([_above(row, margin) for row in rows])
    found = sorted((p, row.id, row) for p, row in zip(above, rows, strict=True) if p <= level)
    words = f"the margin {100 * margin:g} pp"
    if found:
        named = "; ".join(_row(row, f", Holm p = {p:.2g}") for p, _, row in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        return Verdict.DEGRADED, (
            f"{len(found)} of {len(rows)} instances above {words}: {named}{more}"
        )
    if all(_below(row, margin) <= level for row in rows):
        return Verdict.ROBUST, f"all {len(rows)} instances are shown to lie below {words}"
    worst = max(rows, key=lambda row: (row.degradation or 0.0, row.id))
    return Verdict.INCONCLUSIVE, (
        f"no instance of {len(rows)} is shown above {words}, nor all below; highest: {_row(worst)}"
    )


def _above(row: InstanceRow, margin: float) -> float:
    one, other = row.baseline, row.perturbed
    return exceeds_margin_p(one.resolved, one.runs, other.resolved, other.runs, margin)


def _below(row: InstanceRow, margin: float) -> float:
    one, other = row.baseline, row.perturbed
    return exceeds_margin_p(other.resolved, other.runs, one.resolved, one.runs, -margin)


def _row(row: InstanceRow, end: str = "") -> str:
    interval = row.interval or Interval(0.0, 0.0)
    return (
        f"{row.id} {100 * (row.degradation or 0.0):.1f} pp"
        f" [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
        f" ({row.baseline.runs}+{row.perturbed.runs} runs{end})"
    )
