"""A frontier as terminal lines, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.reporting.frontier import Frontier, FrontierRow
from pytest_jagged.reporting.text import count, interval_text, share, table

__all__ = ["frontier_to_csv", "frontier_to_json", "render_frontier"]

_EFFORT = ("steps", "cost", "steps_resolved", "cost_resolved")


def render_frontier(frontier: Frontier, width: int) -> list[str]:
    """Titles give the paper's figures."""
    lines = ["mean degradation, pp (Figure 1)"]
    head = ("scaffold · benchmark · model", "degr. pp", "CI", "instances")
    lines += table(head, [(_name(row), *_degradation(row)) for row in frontier.rows], width)
    for title, steps, cost in (
        ("change of effort, resolved runs, % (Figure 2)", "steps_resolved", "cost_resolved"),
        ("change of effort, all runs, % (Figure 4)", "steps", "cost"),
    ):
        rows = [(_name(r), *_effort(r, steps), *_effort(r, cost)) for r in frontier.rows]
        lines += ["", title, *table((head[0], "steps", "CI", "cost", "CI"), rows, width)]
    lines += ["", "mean resolve rate, % (Figure 3)"]
    rates = [(_name(row), *_rates(row)) for row in frontier.rows]
    lines += table((head[0], "baseline", "CI", "perturbed", "CI"), rates, width)
    lines += ["", *_ranks(frontier, width)]
    return lines


def _name(row: FrontierRow) -> str:
    c = row.configuration
    parts = (c.scaffold, c.benchmark, c.model, c.condition if c.condition != "perturbed" else "")
    return " · ".join(part for part in parts if part) or "all"


def _degradation(row: FrontierRow) -> tuple[str, str, str]:
    c = row.configuration
    return _signed(c.degradation_pp), _percent(c.interval_pp), str(len(c.cells))


def _effort(row: FrontierRow, name: str) -> tuple[str, str]:
    mean, interval = row.configuration.effort.get(name, (None, None))
    return _signed(mean), _percent(interval)


def _rates(row: FrontierRow) -> Iterator[str]:
    for name in ("baseline", "perturbed"):
        rate = row.rates.get(name)
        yield share(None if rate is None else rate.mean)
        yield interval_text(None if rate is None else rate.interval)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}"


def _percent(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return interval_text(Interval(interval.low / 100, interval.high / 100))


def _ranks(frontier: Frontier, width: int) -> Iterator[str]:
    rows = [
        (
            f"{' · '.join(setting)} · {ranked.model}",
            str(ranked.rank),
            f"{ranked.low}–{ranked.high}",
            f"{ranked.first:.0%}",
        )
        for setting, group in frontier.ranks.items()
        if len(group) > 1
        for ranked in group
    ]
    if not rows:
        yield "ranks: no scaffold and benchmark with two models"
        return
    yield "rank by mean degradation, 1 is the most robust"
    yield from table(("scaffold · benchmark · model", "rank", "range", "first"), rows, width)
    if frontier.agreements:
        yield ""
        yield "agreement of ranks between settings (Kendall's tau; 1 same order, −1 reversed)"
    for found in frontier.agreements:
        tau = "undefined, ties only" if found.tau is None else f"{found.tau:+.2f}"
        names = f"{' · '.join(found.first)} and {' · '.join(found.second)}"
        yield f"  {names}: {tau} ({count(found.models, 'model')})"


def frontier_to_json(frontier: Frontier) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "configurations": [_row_to_json(row) for row in frontier.rows],
        "ranks": [
            {
                "scaffold": setting[0],
                "benchmark": setting[1],
                "models": [
                    {
                        "model": r.model,
                        "mean_pp": 100 * r.mean,
                        "rank": r.rank,
                        "rank_range": [r.low, r.high],
                        "chance_of_first": r.first,
                    }
                    for r in group
                ],
            }
            for setting, group in frontier.ranks.items()
        ],
        "agreements": [
            {"first": list(a.first), "second": list(a.second), "models": a.models, "tau": a.tau}
            for a in frontier.agreements
        ],
    }


def _row_to_json(row: FrontierRow) -> dict[str, Any]:
    c = row.configuration
    return {
        "scaffold": c.scaffold,
        "model": c.model or None,
        "benchmark": c.benchmark,
        "condition": c.condition,
        "instances": len(c.cells),
        "degradation_pp": c.degradation_pp,
        "interval_pp": _bare(c.interval_pp),
        "resolve_rates_pct": {name: 100 * rate.mean for name, rate in row.rates.items()},
        "resolve_rate_intervals_pct": {
            name: [100 * rate.interval.low, 100 * rate.interval.high]
            for name, rate in row.rates.items()
        },
        "effort_pct": {
            name: {"mean": mean, "interval": _bare(interval)}
            for name, (mean, interval) in c.effort.items()
        },
    }


def _bare(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def frontier_to_csv(frontier: Frontier) -> str:
    """One row a configuration; what is unknown is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    bounds = ("low", "high")
    writer.writerow(
        [
            *("scaffold", "model", "benchmark", "condition", "instances"),
            *("degradation_pp", *(f"degradation_{b}_pp" for b in bounds)),
            *(f"{n}_{part}_pct" for n in ("baseline", "perturbed") for part in ("rate", *bounds)),
            *(f"{n}_{part}_pct" for n in _EFFORT for part in ("change", *bounds)),
        ]
    )
    for row in frontier.rows:
        c = row.configuration
        values: list[Any] = [c.scaffold, c.model, c.benchmark, c.condition, len(c.cells)]
        values += [c.degradation_pp, *_ends(c.interval_pp)]
        for name in ("baseline", "perturbed"):
            rate = row.rates.get(name)
            ends = (None, None, None) if rate is None else (rate.mean, *_ends(rate.interval))
            values += [None if end is None else 100 * end for end in ends]
        for name in _EFFORT:
            mean, interval = c.effort.get(name, (None, None))
            values += [mean, *_ends(interval)]
        writer.writerow(values)
    return stream.getvalue()


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)
