"""What a session will run, reuse and cost, as far as stored runs tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_jagged.contracts.case import Case
from pytest_jagged.execution.budget import spent_usd

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["Forecast", "forecast"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Means are over stored measured runs; None where there are none."""

    planned: int
    reused: int
    mean_s: float | None
    mean_usd: float | None
    spent_usd: float
    cap_usd: float | None
    concurrency: int

    def text(self) -> str:
        to_do = self.planned - self.reused
        parts = [f"{self.planned} runs: {self.reused} reused, {to_do} to do"]
        if to_do and self.mean_s is not None:
            parts.append(f"about {_duration(to_do * self.mean_s / self.concurrency)}")
        if to_do and self.mean_usd is not None:
            parts.append(f"about ${to_do * self.mean_usd:.2f}")
        elif to_do:
            parts.append("cost unknown before the first runs")
        if self.cap_usd is not None:
            parts.append(f"${self.spent_usd:.2f} of ${self.cap_usd:g} spent")
        return ", ".join(parts)


def forecast(study: Study, cases: Sequence[Case]) -> Forecast:
    """Nothing is fetched: before the first preparation no run can be stored."""
    records = [] if not study.is_prepared else [r for c in cases if (r := study.stored(c))]
    measured = [r for r in records if r.outcome.is_measured]
    costs = [r.cost_usd for r in measured if r.cost_usd is not None]
    seconds = [r.timing.total_s for r in measured]
    settings = study.settings.session
    return Forecast(
        planned=len(cases),
        reused=len(records),
        mean_s=sum(seconds) / len(seconds) if seconds else None,
        mean_usd=sum(costs) / len(costs) if costs else None,
        spent_usd=spent_usd(records),
        cap_usd=settings.budget_usd,
        concurrency=settings.concurrency,
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
