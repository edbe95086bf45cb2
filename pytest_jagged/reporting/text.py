"""Numbers and words as the terminal shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.reporting.report import Configuration

__all__ = [
    "configuration_title",
    "count",
    "interval_text",
    "plain",
    "points",
    "share",
    "shortened",
    "table",
    "wrapped",
]


def plain(text: str) -> str:
    """Without control characters: what agents write must not steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def configuration_title(configuration: Configuration) -> str:
    parts = [configuration.scaffold, configuration.model, configuration.benchmark]
    if configuration.condition != "perturbed":
        parts.append(configuration.condition)
    return plain(" · ".join(part for part in parts if part)) or "all"


def count(number: int, word: str = "instance") -> str:
    return f"1 {word}" if number == 1 else f"{number} {word}s"


def points(rate: float | None) -> str:
    """A difference of rates in percentage points, or a fraction in percent; signed."""
    if rate is None:
        return "–"
    text = f"{100 * rate:+.1f}"
    return "0.0" if float(text) == 0 else text


def share(rate: float | None) -> str:
    return "–" if rate is None else f"{100 * rate:.1f}"


def interval_text(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    low, high = (0.0 if abs(100 * x) < 0.05 else 100 * x for x in (interval.low, interval.high))
    return f"[{low:.1f}, {high:.1f}]"


def shortened(text: str, room: int) -> str:
    """The end of a long name, which tells instances apart better than its beginning."""
    clean = plain(text)
    return clean if len(clean) <= room else "…" + clean[-(room - 1) :]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], room: int = 80) -> list[str]:
    """Aligned columns: the first to the left, the others to the right; the first gives way."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    widths[0] = min(widths[0], max(12, room - sum(widths[1:]) - 2 * (len(head) - 1)))
    return [
        "  ".join(
            shortened(cell, width).ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def wrapped(text: str, width: int) -> list[str]:
    room = max(40, width)
    return textwrap.wrap(plain(text), room, subsequent_indent="  ", break_long_words=False)
