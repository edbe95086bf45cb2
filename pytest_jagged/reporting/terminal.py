"""A report as plain lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jagged.reporting.details import details
from pytest_jagged.reporting.report import ArmSummary, Configuration, InstanceRow, Report
from pytest_jagged.reporting.text import (
    configuration_title,
    count,
    interval_text,
    plain,
    points,
    share,
    table,
    wrapped,
)
from pytest_jagged.statistics.comparison import Comparison
from pytest_jagged.statistics.degradation import MeanDegradation
from pytest_jagged.statistics.effort import RelativeChange

__all__ = ["plain", "render"]

_MANY = 12


def render(report: Report, *, verbosity: int, width: int) -> list[str]:
    """Rows by instance for up to 12 instances, or with -v; nothing here is coloured."""
    lines: list[str] = []
    several = len(report.configurations) > 1
    if several:
        lines += _overview(report, width)
    for configuration in report.configurations:
        if not several or verbosity > 0:
            lines += ["", *_configuration(report, configuration, verbosity, width)]
    if lines and not lines[0]:
        lines.pop(0)
    lines += ["", *_ledger(report)] if report.planned else [""]
    for gate in report.gates:
        lines += wrapped(f"gate {gate.name}: {gate.verdict.value}: {gate.message}", width)
    for word, texts in (("warning", report.warnings), ("note", report.notes)):
        for text in texts:
            lines += wrapped(f"{word}: {text}", width)
    if report.beyond_plan:
        lines.append(f"stored beyond the plan, not counted: {count(report.beyond_plan, 'run')}")
    if report.not_of_this_study:
        lines.append(f"stored, not of this study: {count(report.not_of_this_study, 'run')}")
    return lines


def _overview(report: Report, width: int) -> list[str]:
    rows = []
    for configuration in report.configurations:
        found = configuration.degradation
        rates = configuration.rates
        rows.append(
            (
                configuration_title(configuration),
                share(rates["baseline"].mean) if rates else "–",
                share(rates["perturbed"].mean) if rates else "–",
                points(None if found is None else found.mean),
                interval_text(None if found is None else found.interval),
                "–" if found is None else f"{found.sign_flip_p:.3f}",
            )
        )
    head = ("", "base. %", "pert. %", "degr. pp", _level(report.confidence), "flip p")
    return table(head, rows, width)


def _configuration(
    report: Report, configuration: Configuration, verbosity: int, width: int
) -> Iterator[str]:
    yield configuration_title(configuration)
    if verbosity > 0 or len(configuration.instances) <= _MANY:
        yield ""
        yield from _instances(configuration.instances, report.confidence, width)
    yield ""
    yield from _degradation(report.confidence, configuration, width)
    yield from _effort(configuration)
    yield from _placebo(configuration, report.confidence)
    yield from _splits(configuration, report.confidence, verbosity, width)
    if len(configuration.instances) > 1:
        yield from wrapped(_claims(configuration), width)
    for exclusion in configuration.excluded:
        yield from wrapped(f"left out: {exclusion.instance_id}: {exclusion.reason}", width)
    if configuration.comparison is not None:
        yield from _comparison(configuration.comparison, report.confidence)
    if verbosity > 0:
        yield from details(configuration, width)


def _instances(rows: Sequence[InstanceRow], confidence: float, width: int) -> list[str]:
    head = ("instance", "baseline", "perturbed", "degr. pp", f"{_level(confidence)} ", "")
    body = [
        (
            row.id,
            _arm(row.baseline),
            _arm(row.perturbed),
            points(row.degradation),
            interval_text(row.interval),
            "*" if row.excludes_zero else "",
        )
        for row in rows
    ]
    return table(head, body, width)


def _arm(arm: ArmSummary) -> str:
    if arm.rate is None:
        return "no runs"
    return f"{arm.resolved}/{arm.runs} {arm.rate:4.0%}"


def _degradation(confidence: float, configuration: Configuration, width: int) -> Iterator[str]:
    found = configuration.degradation
    if found is None:
        yield "mean degradation: unknown, no instance has measured runs in both conditions"
        return
    start, level = f"mean degradation {points(found.mean)} pp", _level(confidence)
    for interval, words in _intervals(found):
        yield f"{start}  {level} {interval}  {words}"
        start = " " * len(start)
    rates = ", ".join(
        f"{name} {share(rate.mean)} % {interval_text(rate.interval)}"
        for name, rate in configuration.rates.items()
    )
    yield from wrapped(f"resolve rate: {rates}", width)
    yield f"sign-flip p = {found.sign_flip_p:.3g} over {count(found.instances)}"


def _intervals(found: MeanDegradation) -> Iterator[tuple[str, str]]:
    yield interval_text(found.interval), found.estimand.value
    if found.is_too_narrow:
        yield interval_text(found.score), "the same, for few runs (score)"
    yield interval_text(found.new_instances), "new instances too"


def _effort(configuration: Configuration) -> Iterator[str]:
    measures = {**configuration.effort, **configuration.timing}
    rows = []
    for name in measures:
        if name.endswith("_resolved"):
            continue
        both = measures[name], measures.get(f"{name}_resolved")
        if both[0].mean is not None:
            cells = (cell for change in both for cell in _change(change))
            rows.append((name.replace("_", " "), *cells))
    if rows:
        yield from table(("change, %", "all runs", "CI", "", "resolved", "CI", ""), rows)


def _change(change: RelativeChange | None) -> tuple[str, str, str]:
    """Estimate, interval, and of how many instances where some are left out."""
    if change is None or change.mean is None:
        return "–", "–", ""
    left = f"of {change.instances}" if change.excluded else ""
    return points(change.mean), interval_text(change.interval), left


def _placebo(configuration: Configuration, confidence: float) -> Iterator[str]:
    placebo = configuration.placebo
    if placebo is None:
        return
    for words, contrast in (
        ("placebo against baseline", placebo.against_baseline),
        ("perturbed against placebo", placebo.perturbed_against),
    ):
        found = contrast.degradation
        if found is not None:
            yield (
                f"{words}: degradation {points(found.mean)} pp  {_level(confidence)}"
                f" {interval_text(found.score)}"
            )


def _splits(
    configuration: Configuration, confidence: float, verbosity: int, width: int
) -> list[str]:
    """By what variants changed, where they differ in that; with -v also what the gold solves."""
    changed = [s for s in configuration.splits if not s.name.startswith("gold solves")]
    shown = configuration.splits if verbosity > 0 else changed if len(changed) > 1 else ()
    if not shown:
        return []
    rows = []
    for split in shown:
        found = None if split.contrast is None else split.contrast.degradation
        rows.append(
            (
                split.name,
                f"{split.resolved}/{split.runs} {split.resolved / split.runs:4.0%}",
                points(None if found is None else found.mean),
                interval_text(None if found is None else found.score),
            )
        )
    return table(("variant", "perturbed", "degr. pp", _level(confidence)), rows, width)


def _claims(configuration: Configuration) -> str:
    rows = [row for row in configuration.instances if row.interval is not None]
    excluding = (
        f"intervals of instances that exclude zero (*): {configuration.excluding_zero} of"
        f" {len(rows)}, by chance {configuration.excluding_zero_by_chance:.2f}"
    )
    if all(row.p is None for row in rows):
        return excluding
    holm = sum(row.holm_p is not None and row.holm_p < 0.05 for row in rows)
    fdr = sum(row.fdr_p is not None and row.fdr_p < 0.05 for row in rows)
    return f"{excluding}; claims at 5 %: {holm} after Holm, {fdr} after Benjamini–Hochberg"


def _comparison(found: Comparison, confidence: float) -> Iterator[str]:
    yield f"against {plain(found.earlier)}, paired by {found.pairing} ({count(found.instances)}):"
    rows = [
        (f"  rise of {name}", points(d.mean), interval_text(d.interval))
        for name, d in (
            ("degradation", found.degradation),
            ("baseline resolve rate", found.baseline),
            ("perturbed resolve rate", found.perturbed),
        )
    ]
    yield from table(("", "pp", _level(confidence)), rows)


def _level(confidence: float) -> str:
    return f"{100 * confidence:.4g}% CI"


def _ledger(report: Report) -> Iterator[str]:
    total = sum(sum(counts.values()) for counts in report.outcomes.values())
    yield f"planned {report.planned} runs = {total} accounted for:"
    for name, counts in report.outcomes.items():
        words = ", ".join(f"{number} {word.replace('_', ' ')}" for word, number in counts.items())
        yield f"  {name}: {words}"
