"""What a study will cost and what it can see, before any agent is started."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import Prices
from pytest_jagged.reporting.arms import arm_of
from pytest_jagged.reporting.text import count, wrapped
from pytest_jagged.statistics.power import (
    PUBLISHED_NOISE,
    Design,
    detectable,
    noise_of,
    runs_needed,
)
from pytest_jagged.statistics.proportion import newcombe

__all__ = ["Figure", "StudyPlan", "Wanted", "cost_of_tokens", "measured_figures", "render_plan"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number per run and where it is from; `value` None is unknown."""

    value: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A degradation that the study should find (a rate), with this power."""

    degradation: float | None
    power: float


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """`margins` are those of gates on the mean degradation, as rates; `confidence` is that of the
    last look, which in a study of several *stages* is above the study's.
    """

    name: str
    instances: int
    conditions: int
    runs: int
    items: int
    certificates: int
    to_do: int
    concurrency: int
    cap_usd: float | None
    cost_usd: Figure
    seconds: Figure
    noise: Figure
    margins: tuple[float, ...]
    confidence: float
    wanted: Wanted
    stages: int = 1

    @property
    def design(self) -> Design:
        noise = PUBLISHED_NOISE if self.noise.value is None else self.noise.value
        return Design(self.instances, self.runs, noise, self.confidence)

    @property
    def expected_usd(self) -> float | None:
        return None if self.cost_usd.value is None else self.cost_usd.value * self.to_do

    @property
    def expected_s(self) -> float | None:
        if self.seconds.value is None:
            return None
        return self.seconds.value * self.to_do / self.concurrency

    def detectable(self, margin: float = 0.0) -> float:
        return detectable(self.design, margin=margin, power=self.wanted.power)

    def needed(self, margin: float = 0.0) -> int | None:
        if self.wanted.degradation is None:
            return None
        return runs_needed(
            self.design, self.wanted.degradation, margin=margin, power=self.wanted.power
        )

    def to_json(self) -> dict[str, Any]:
        wanted = self.wanted.degradation
        return {
            "schema_version": 1,
            "study": self.name,
            "items": self.items,
            "stages": self.stages,
            "certificates": self.certificates,
            "to_do": self.to_do,
            "usd_per_run": {"value": self.cost_usd.value, "source": self.cost_usd.source},
            "expected_usd": self.expected_usd,
            "seconds_per_run": {"value": self.seconds.value, "source": self.seconds.source},
            "expected_s": self.expected_s,
            "noise": {"value": self.design.noise, "source": self.noise.source},
            "half_width_pp": 100 * self.design.half_width,
            "power": self.wanted.power,
            "detectable_pp": 100 * self.detectable(),
            "gates": [
                {"margin_pp": 100 * m, "detectable_pp": 100 * self.detectable(m)}
                for m in self.margins
            ],
            "wanted_pp": None if wanted is None else 100 * wanted,
            "runs_needed": self.needed(),
        }


def measured_figures(records: Iterable[RunRecord]) -> tuple[Figure, Figure, Figure]:
    """USD and seconds of a run, and its noise p(1 − p), from stored measured runs."""
    measured = [record for record in records if record.outcome.is_measured]
    costs = [r.cost_usd for r in measured if r.cost_usd is not None]
    times = [r.timing.total_s for r in measured]
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for record in measured:
        name = record.case.condition.name
        groups.setdefault((record.case.instance_id, name), []).append(record)
    noise = noise_of([arm_of(group) for group in groups.values()])
    source = f"from {count(len(measured), 'stored run')}"
    return (
        Figure(sum(costs) / len(costs), source) if costs else Figure(None, "no stored cost"),
        Figure(sum(times) / len(times), source) if times else Figure(None, "no stored run"),
        Figure(noise, source) if noise else Figure(None, "of published runs"),
    )


def cost_of_tokens(prices: Prices, tokens_input: float, tokens_output: float) -> float:
    """USD of a run, no token cached; tokens in thousands, prices per million."""
    return (prices.input * tokens_input + prices.output * tokens_output) / 1000


def render_plan(plan: StudyPlan, width: int) -> list[str]:
    return [line for text in _texts(plan) for line in wrapped(text, width)]


def _texts(plan: StudyPlan) -> Iterator[str]:
    yield (
        f"{plan.name}: {count(plan.items, 'run')} ({count(plan.instances)} ×"
        f" {count(plan.conditions, 'condition')} × {plan.runs}),"
        f" {count(plan.certificates, 'certificate')}; {plan.to_do} to do"
    )
    if plan.stages > 1:
        yield (
            f"{plan.stages} stages, a session each: figures are of the last, with runs spread"
            " evenly; settled instances leave theirs to others, or unspent"
        )
    yield f"cost: {_money(plan)}"
    yield f"time: {_time(plan)}"
    design = plan.design
    yield f"noise p(1 − p) of a run: {design.noise:.3f}, {plan.noise.source}"
    yield (
        f"mean degradation: {100 * plan.confidence:.4g}% CI about"
        f" ±{100 * design.half_width:.1f} pp; found above 0 with {plan.wanted.power:.0%} power"
        f" from {100 * plan.detectable():.1f} pp"
    )
    for margin in plan.margins:
        yield (
            f"gate of margin {100 * margin:g} pp: degraded with {plan.wanted.power:.0%} power from"
            f" {100 * plan.detectable(margin):.1f} pp"
        )
    yield f"one instance: {_resolution(plan)}"
    yield from _wanted(plan)


def _money(plan: StudyPlan) -> str:
    cap = "" if plan.cap_usd is None else f"; the session is capped at ${plan.cap_usd:g}"
    if plan.expected_usd is None:
        return f"unknown ({plan.cost_usd.source}; state --usd-per-run or --tokens){cap}"
    each = f"${plan.cost_usd.value:.3g} a run, {plan.cost_usd.source}"
    return f"about ${plan.expected_usd:.2f} ({each}){cap}"


def _time(plan: StudyPlan) -> str:
    if plan.expected_s is None:
        return f"unknown ({plan.seconds.source}; state --seconds-per-run)"
    return (
        f"about {_duration(plan.expected_s)} at concurrency {plan.concurrency}"
        f" ({plan.seconds.value:.3g} s a run, {plan.seconds.source}), certificates apart"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _resolution(plan: StudyPlan) -> str:
    n = plan.runs
    return (
        f"differences below {100 * newcombe(n, n, n, n, plan.confidence).high:.0f} pp are not seen"
    )


def _wanted(plan: StudyPlan) -> Iterator[str]:
    wanted = plan.wanted.degradation
    if wanted is None:
        return
    margins: Sequence[float] = (0.0, *(m for m in plan.margins if m))
    for margin in margins:
        needed = plan.needed(margin)
        over = f" above the margin {100 * margin:g} pp" if margin else ""
        if needed is None:
            yield f"{100 * wanted:g} pp can never be found{over}"
            continue
        total = needed * plan.instances * plan.conditions
        usd = plan.cost_usd.value
        cost = "" if usd is None else f", about ${usd * total:.2f}"
        yield (
            f"to find {100 * wanted:g} pp{over} with {plan.wanted.power:.0%} power: runs: {needed}"
            f" ({total} in all{cost})"
        )
