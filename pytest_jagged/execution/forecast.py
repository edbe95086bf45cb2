"""What a session will run, reuse and cost, as far as stored runs tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_jagged.config import settings_to_json
from pytest_jagged.contracts.case import Case
from pytest_jagged.execution.budget import spent_usd
from pytest_jagged.execution.run_settings import run_settings
from pytest_jagged.reporting.study_file import read_study_file

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["Forecast", "forecast", "known_keys"]


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


def forecast(study: Study, cases: Sequence[Case], again: Collection[Case] = ()) -> Forecast:
    """What is stored of *cases*, but for those to be run *again*.

    Nothing is fetched: keys come from study.json, which every session writes before its first run.
    """
    keys = known_keys(study)
    done = [study.stored_as(case, keys[case]) for case in cases if case in keys]
    records = [record for record in done if record is not None]
    measured = [r for r in records if r.outcome.is_measured]
    costs = [r.cost_usd for r in measured if r.cost_usd is not None]
    seconds = [r.timing.total_s for r in measured]
    settings = study.settings.session
    return Forecast(
        planned=len(cases),
        reused=sum(record.case not in again for record in records),
        mean_s=sum(seconds) / len(seconds) if seconds else None,
        mean_usd=sum(costs) / len(costs) if costs else None,
        spent_usd=spent_usd(records),
        cap_usd=settings.budget_usd,
        concurrency=settings.concurrency,
    )


def known_keys(study: Study) -> Mapping[Case, str]:
    """Record keys as of the last session, none where its runs were of another kind."""
    if not study.is_prepared:
        return {}
    file = read_study_file(study.root / "study.json")
    return file.keys if _kind(file.settings) == _kind(settings_to_json(study.settings)) else {}


def _kind(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """What all runs of a study share, whichever instances and conditions it has."""
    own = run_settings(settings)
    return {key: own[key] for key in own if key not in ("instances", "conditions")}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
