"""A report as plain lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.reporting.report import ArmSummary, Configuration, InstanceRow, Report
from pytest_jagged.statistics.effort import RelativeChange

__all__ = ["plain", "render"]

_EFFORT_NAMES = {
    "steps": "steps",
    "steps_resolved": "steps, resolved runs",
    "cost": "cost",
    "cost_resolved": "cost, resolved runs",
}
_MANY = 12


def plain(text: str) -> str:
    """Without control characters: what agents write must not steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def render(report: Report, *, verbosity: int, width: int) -> list[str]:
    """Per-instance rows for up to 12 instances, or with -v; nothing here is coloured."""
    lines: list[str] = []
    for configuration in report.configurations:
        lines += _configuration(report, configuration, verbosity, width)
    lines += _ledger(report)
    for gate in report.gates:
        lines += _wrap(f"gate {gate.name}: {gate.verdict.value}: {gate.message}", width)
    for word, texts in (("warning", report.warnings), ("note", report.notes)):
        for text in texts:
            lines += _wrap(f"{word}: {plain(text)}", width)
    if report.beyond_plan:
        lines.append(f"stored beyond the plan, not counted: {report.beyond_plan} runs")
    if report.not_of_this_study:
        lines.append(f"stored, not of this study: {report.not_of_this_study} runs")
    return lines


def _configuration(
    report: Report, configuration: Configuration, verbosity: int, width: int
) -> Iterator[str]:
    model = f" · {configuration.model}" if configuration.model else ""
    yield f"{configuration.scaffold}{model} · {configuration.benchmark}"
    if verbosity > 0 or len(configuration.instances) <= _MANY:
        yield ""
        yield from _instances(configuration.instances, report.confidence, width)
    yield ""
    yield from _degradation(report, configuration)
    for name, change in configuration.effort.items():
        if change.mean is not None:
            yield _effort(_EFFORT_NAMES[name], change)
    if len(configuration.instances) > 1:
        yield (
            f"per-instance intervals that exclude zero: {configuration.excluding_zero} of"
            f" {len(configuration.instances)}"
            f" (by chance: {configuration.excluding_zero_by_chance:.2f})"
        )
    for exclusion in configuration.excluded:
        yield f"left out: {exclusion.instance_id}: {exclusion.reason}"
    changed = [s for s in configuration.splits if not s.name.startswith("gold solves")]
    if len(changed) > 1 or verbosity > 0:
        for split in configuration.splits if verbosity > 0 else changed:
            rate = f"{split.resolved / split.runs:.0%}"
            yield f"{_split_name(split.name)}: {split.resolved}/{split.runs} resolved ({rate})"


def _degradation(report: Report, configuration: Configuration) -> Iterator[str]:
    found = configuration.degradation
    if found is None:
        yield "mean degradation: unknown, no instance has measured runs in both conditions"
        return
    level = f"{100 * report.confidence:g}% CI"
    yield (
        f"mean degradation {100 * found.mean:+.1f} pp  {level} {_pair(found.interval)}"
        f"  ({found.estimand.value})"
    )
    yield f"{'':>24}  {level} {_pair(found.new_instances)}  (new instances too)"
    yield f"{'':>24}  sign-flip p = {found.sign_flip_p:.3g} over {_count(found.instances)}"


def _instances(rows: Sequence[InstanceRow], confidence: float, width: int) -> Iterator[str]:
    room = max(12, min(max((len(row.id) for row in rows), default=8), width - 56))
    level = f"{100 * confidence:g}% CI (pp)"
    yield f"{'instance':<{room}}  {'baseline':>11} {'perturbed':>11} {'degr. pp':>9}  {level:>15}"
    for row in rows:
        name = row.id if len(row.id) <= room else "…" + row.id[-(room - 1) :]
        degradation = "–" if row.degradation is None else f"{100 * row.degradation:+.1f}"
        interval = "–" if row.interval is None else _pair(row.interval)
        mark = " *" if row.excludes_zero else ""
        yield (
            f"{name:<{room}}  {_arm(row.baseline):>11} {_arm(row.perturbed):>11}"
            f" {degradation:>9}  {interval:>15}{mark}"
        )


def _arm(arm: ArmSummary) -> str:
    if arm.rate is None:
        return "no runs"
    return f"{arm.resolved}/{arm.runs} {arm.rate:4.0%}"


def _effort(name: str, change: RelativeChange) -> str:
    assert change.mean is not None
    interval = "" if change.interval is None else f"  CI {_pair(change.interval)}"
    left_out = f", {len(change.excluded)} left out" if change.excluded else ""
    return f"{name}: {100 * change.mean:+.1f} %{interval}  ({_count(change.instances)}{left_out})"


def _count(instances: int) -> str:
    return "1 instance" if instances == 1 else f"{instances} instances"


def _split_name(name: str) -> str:
    if name.startswith("gold solves: "):
        return f"variants that the gold patch solves, {name.removeprefix('gold solves: ')}"
    return f"variants that {name}"


def _pair(interval: Interval) -> str:
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _ledger(report: Report) -> Iterator[str]:
    total = sum(sum(counts.values()) for counts in report.outcomes.values())
    yield f"planned {report.planned} runs = {total} accounted for:"
    for name, counts in report.outcomes.items():
        words = ", ".join(f"{number} {word.replace('_', ' ')}" for word, number in counts.items())
        yield f"  {name}: {words}"


def _wrap(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(40, width), subsequent_indent="  ", break_long_words=False)
