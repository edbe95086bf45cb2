"""Gates: a configured metric against its margin, with the words a CI log needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.contracts.settings import GateMetric, GateSettings
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import RelativeChange
from pytest_jagged.statistics.gate import Verdict, fails, verdict_on_increase

__all__ = ["GateInput", "GateResult", "evaluate_gates"]

_EFFORT = {GateMetric.STEPS: "steps", GateMetric.COST: "cost"}


@dataclass(frozen=True, slots=True)
class GateInput:
    """What gates judge. `obstacle` says why nothing may be concluded (lost runs, one condition)."""

    degradation: Mapping[str, MeanDegradation | None]  # by population
    effort: Mapping[str, RelativeChange]
    runs: str  # "20+20 runs"
    confidence: float
    obstacle: str | None


@dataclass(frozen=True, slots=True)
class GateResult:
    name: str
    metric: str
    verdict: Verdict
    failed: bool
    message: str
    margin: float
    unit: str


def evaluate_gates(gates: Sequence[GateSettings], given: GateInput) -> tuple[GateResult, ...]:
    """Equal metrics are numbered, so that every gate has a name of its own."""
    results = []
    for number, gate in enumerate(gates, start=1):
        same = sum(other.metric is gate.metric for other in gates)
        name = gate.metric.value if same == 1 else f"{gate.metric.value}-{number}"
        results.append(_evaluate(name, gate, given))
    return tuple(results)


def _evaluate(name: str, gate: GateSettings, given: GateInput) -> GateResult:
    effort = _EFFORT.get(gate.metric)
    unit = "%" if effort else "pp"
    margin = (gate.margin_pct if effort else gate.margin_pp) or 0.0
    if given.obstacle is not None:
        verdict, message = Verdict.INCONCLUSIVE, f"inconclusive: {given.obstacle}"
    elif effort:
        verdict, message = _judge_effort(given.effort.get(effort), margin, given)
    else:
        verdict, message = _judge_degradation(given.degradation[gate.population], margin, given)
    failed = fails(verdict, gate.fail)
    return GateResult(name, gate.metric.value, verdict, failed, message, margin, unit)


def _judge_effort(
    change: RelativeChange | None, margin: float, given: GateInput
) -> tuple[Verdict, str]:
    if change is None or change.mean is None or change.interval is None:
        return Verdict.INCONCLUSIVE, "inconclusive: no run has a known value in both conditions"
    return _judge(change.mean, change.interval, margin, "%", change.instances, given)


def _judge_degradation(
    found: MeanDegradation | None, margin: float, given: GateInput
) -> tuple[Verdict, str]:
    if found is None:
        return Verdict.INCONCLUSIVE, "inconclusive: no instance has runs in both conditions"
    # An interval that rates of 0 or 1 made narrower than it is would decide too easily.
    interval = found.smoothed if found.certain_arms == 2 * found.instances else found.interval
    return _judge(found.mean, interval, margin, "pp", found.instances, given)


def _judge(
    mean: float, interval: Interval, margin: float, unit: str, instances: int, given: GateInput
) -> tuple[Verdict, str]:
    low, high = 100 * interval.low, 100 * interval.high
    verdict = verdict_on_increase(Interval(low, high), margin)
    where = {
        Verdict.DEGRADED: "lies above",
        Verdict.ROBUST: "lies at or below",
        Verdict.INCONCLUSIVE: "contains",
    }[verdict]
    return verdict, (
        f"{100 * mean:.1f} {unit}, {100 * given.confidence:g}% CI [{low:.1f}, {high:.1f}]"
        f" {where} the margin {margin:g} {unit} ({instances} instance{'s' * (instances != 1)}, {given.runs})"
    )
