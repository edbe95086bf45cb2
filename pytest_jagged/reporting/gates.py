"""Gates: a configured metric against its margin, with the words a CI log needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.contracts.settings import GateMetric, GateSettings
from pytest_jagged.reporting.instance_gate import judge_instances
from pytest_jagged.statistics.gate import Verdict, fails, verdict_on_decrease, verdict_on_increase

if TYPE_CHECKING:
    from pytest_jagged.reporting.report import Configuration

__all__ = ["GateInput", "GateResult", "evaluate_gates"]

_EFFORT = {GateMetric.STEPS: "steps", GateMetric.COST: "cost"}
# With fewer independent runs in a condition no interval keeps its error rate.
_FEWEST_RUNS = 3


@dataclass(frozen=True, slots=True)
class GateInput:
    """What gates judge. `obstacle` says why nothing may be concluded (lost runs, one condition)."""

    configurations: Mapping[str, Configuration]  # by population
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


Judgement = tuple[Verdict, str]


def evaluate_gates(
    gates: Sequence[GateSettings], given: GateInput, label: str | None = None
) -> tuple[GateResult, ...]:
    """Equal metrics are numbered, so that every gate has a name of its own; *label* tells several
    perturbed conditions apart.
    """
    results = []
    for number, gate in enumerate(gates, start=1):
        same = sum(other.metric is gate.metric for other in gates)
        name = gate.metric.value if same == 1 else f"{gate.metric.value}-{number}"
        results.append(_evaluate(name if label is None else f"{name}.{label}", gate, given))
    return tuple(results)


def _evaluate(name: str, gate: GateSettings, given: GateInput) -> GateResult:
    unit = "%" if gate.metric in _EFFORT else "pp"
    margin = (gate.margin_pct if gate.metric in _EFFORT else gate.margin_pp) or 0.0
    obstacle = given.obstacle or _too_few(given.configurations[gate.population])
    if obstacle is not None:
        verdict, message = _nothing(obstacle)
    else:
        verdict, message = _judge(gate, margin, given)
    failed = fails(verdict, gate.fail)
    return GateResult(name, gate.metric.value, verdict, failed, message, margin, unit)


def _too_few(configuration: Configuration) -> str | None:
    for name in ("baseline", "perturbed"):
        rate = configuration.rates.get(name)
        if rate is None:
            return "no instance has measured runs in both conditions"
        if rate.independent_runs < _FEWEST_RUNS:
            return f"fewer than {_FEWEST_RUNS} independent {name} runs"
    return None


def _nothing(reason: str) -> Judgement:
    return Verdict.INCONCLUSIVE, f"inconclusive: {reason}"


def _judge(gate: GateSettings, margin: float, given: GateInput) -> Judgement:
    configuration = given.configurations[gate.population]
    if gate.metric in _EFFORT:
        return _judge_effort(configuration, _EFFORT[gate.metric], margin, given)
    if gate.metric is GateMetric.RESOLVE_RATE:
        return _judge_rate(configuration, margin, given)
    if gate.metric is GateMetric.INSTANCE_DEGRADATION:
        return judge_instances(configuration, margin / 100, given.confidence)
    if gate.metric is GateMetric.REGRESSION:
        return _judge_regression(margin, given)
    found = configuration.degradation
    if found is None:
        return _nothing("no instance has runs in both conditions")
    runs = _runs(configuration)
    return _increase("", found.mean, found.score, margin, "pp", found.instances, runs, given)


def _judge_effort(
    configuration: Configuration, name: str, margin: float, given: GateInput
) -> Judgement:
    change = configuration.effort.get(name)
    if change is None or change.ratio is None:
        return _nothing("no instance has known values above zero in both conditions")
    ratio = change.ratio
    if ratio.change_interval is None:
        return _nothing(ratio.reason or "the variance is unknown")
    runs = _runs(configuration)
    interval = ratio.change_interval
    return _increase("", ratio.change, interval, margin, "%", ratio.instances, runs, given)


def _judge_regression(margin: float, given: GateInput) -> Judgement:
    found = given.configurations["all"].comparison
    if found is None:
        return _nothing("nothing to compare with; name an earlier report (--jagged-compare)")
    rise = found.degradation
    against = f"against {found.earlier}, paired by {found.pairing}"
    words = "rise of degradation "
    return _increase(words, rise.mean, rise.interval, margin, "pp", found.instances, against, given)


def _judge_rate(configuration: Configuration, floor: float, given: GateInput) -> Judgement:
    """The margin of this metric is the floor: the perturbed mean resolve rate must not be below."""
    found = configuration.rates["perturbed"]
    interval = Interval(100 * found.interval.low, 100 * found.interval.high)
    verdict = verdict_on_decrease(interval, floor)
    where = {
        Verdict.DEGRADED: "lies below",
        Verdict.ROBUST: "lies at or above",
        Verdict.INCONCLUSIVE: "contains",
    }[verdict]
    return verdict, (
        f"{100 * found.mean:.1f} %, {_level(given)} {_pair(interval)} {where} the floor"
        f" {floor:g} % ({_count(found.instances)}, {_runs(configuration)})"
    )


def _increase(
    words: str,
    mean: float,
    interval: Interval,
    margin: float,
    unit: str,
    instances: int,
    runs: str,
    given: GateInput,
) -> Judgement:
    shown = Interval(100 * interval.low, 100 * interval.high)
    verdict = verdict_on_increase(shown, margin)
    where = {
        Verdict.DEGRADED: "lies above",
        Verdict.ROBUST: "lies at or below",
        Verdict.INCONCLUSIVE: "contains",
    }[verdict]
    return verdict, (
        f"{words}{100 * mean:.1f} {unit}, {_level(given)} {_pair(shown)} {where} the margin"
        f" {margin:g} {unit} ({_count(instances)}, {runs})"
    )


def _level(given: GateInput) -> str:
    return f"{100 * given.confidence:.4g}% CI"


def _pair(interval: Interval) -> str:
    return f"[{interval.low:.1f}, {interval.high:.1f}]"


def _count(instances: int) -> str:
    return "1 instance" if instances == 1 else f"{instances} instances"


def _runs(configuration: Configuration) -> str:
    """`20+20 runs each`, or totals where instances have different numbers of runs."""
    rows = [row for row in configuration.instances if row.degradation is not None]
    pairs = {(row.baseline.runs, row.perturbed.runs) for row in rows}
    if len(pairs) == 1:
        ((baseline, perturbed),) = pairs
        return f"{baseline}+{perturbed} runs each"
    baseline = sum(row.baseline.runs for row in rows)
    return f"{baseline}+{sum(row.perturbed.runs for row in rows)} runs in all"
