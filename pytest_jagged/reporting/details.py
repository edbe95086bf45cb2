"""What `-v` adds: consistency, variance, attribution, concentration."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_jagged.reporting.report import Configuration
from pytest_jagged.reporting.text import (
    count,
    interval_text,
    points,
    share,
    shortened,
    table,
    wrapped,
)
from pytest_jagged.statistics.attribution import Attribution, Effect
from pytest_jagged.statistics.consistency import Consistency
from pytest_jagged.statistics.variance import VarianceSplit

__all__ = ["details"]


def details(configuration: Configuration, width: int) -> Iterator[str]:
    concentrated = configuration.concentration
    if concentrated is not None and concentrated.top_share is not None:
        top = shortened([concentrated.top], 40)[0]
        yield from wrapped(
            f"share of the mean: {top} {share(concentrated.top_share)} %, top three"
            f" {share(concentrated.top_three_share)} %; leaving one instance out:"
            f" {interval_text(concentrated.leave_one_out)} pp",
            width,
        )
    if configuration.consistency is not None:
        yield from _consistency(configuration.consistency, width)
    if configuration.variance is not None:
        yield from wrapped(_variance(configuration.variance), width)
    if configuration.attribution is not None:
        yield from _attribution(configuration.attribution, width)


def _consistency(found: Consistency, width: int) -> Iterator[str]:
    head = ("resolved, %", *(f"k={k}" for k in found.pass_at))
    rows = []
    for words, table_of in (("pass@k", found.pass_at), ("pass^k", found.pass_hat)):
        for side, name in enumerate(("baseline", "perturbed")):
            rows.append((f"{words} {name}", *(share(pair[side]) for pair in table_of.values())))
    yield from table(head, rows, width)
    worst = found.worst_case
    if worst is None:
        return
    s = worst.variants
    rows = [
        (f"RP_{s}@1", share(worst.rp), share(worst.rp_floor), interval_text(worst.rp_excess)),
        (f"RD_{s}@1", share(worst.rd), share(worst.rd_floor), "–"),
        (f"RR_{s}@1", share(worst.rr), share(worst.rr_floor), interval_text(worst.rr_excess)),
    ]
    yield from table(("worst case, %", "variants", "reruns", "beyond reruns, CI"), rows, width)


def _variance(found: VarianceSplit) -> str:
    instance = "–" if found.instance is None else f"{found.instance:.4f}"
    return (
        f"variance of a perturbed run: instance {instance}, variant {found.variant:.4f}, agent"
        f" {found.agent:.4f}; variant + agent = {found.variant + found.agent:.4f},"
        f" μ(1 − μ) = {found.identity:.4f} ({count(found.instances)}, {found.variants} variants)"
    )


def _attribution(found: Attribution, width: int) -> Iterator[str]:
    yield "drawn rather than another (within instances):"
    for words, of in (("lift of failure, pp", "lift"), ("ln cost ratio × 100", "log_cost")):
        rows = []
        for effect in found.transformations:
            value: Effect | None = getattr(effect, of)
            if value is not None:
                drawn = f"{effect.drawn}/{effect.applied}"
                p_values = f"{value.holm_p:.2f}", f"{value.fdr_p:.2f}"
                cells = points(value.value), interval_text(value.interval), *p_values
                rows.append((effect.name, drawn, *cells))
        if rows:
            yield from table((words, "drawn/applied", "", "CI", "Holm p", "BH p"), rows, width)
    for name, words in (("lines", "source lines"), ("gold_lines", "gold-file lines")):
        dose = found.dose.get(name)
        if dose is not None:
            yield (
                f"failure rate per 1 % of {words} changed: {points(dose.value / 100)} pp"
                f" (p = {dose.p:.2g})"
            )
