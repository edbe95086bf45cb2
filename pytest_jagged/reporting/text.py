"""Numbers and words as the terminal shows them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import takewhile

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


def shortened(names: Sequence[str], room: int) -> list[str]:
    """Each name within *room*, and still told apart from the others where that can be.

    What they all begin with goes first; then the end, the beginning or the middle gives way, or the
    owner in `owner__repository-commit`.
    """
    clean = [plain(name) for name in names]
    if max(map(len, clean), default=0) <= room:
        return clean
    bare = [name[_common_beginning(clean) :] for name in clean]
    half = (room - 1) // 2
    forms: list[list[str]] = [
        [name if len(name) <= room else cut(name) for name in bare]
        for cut in (
            lambda name: name[: room - 1] + "…",
            lambda name: "…" + name[1 - room :],
            lambda name: f"{name[: room - 1 - half]}…{name[-half:]}",
            lambda name: f"{name.rpartition('__')[2][: room - 1]}…",
        )
    ]
    return max(forms, key=lambda form: len(set(form)))


def _common_beginning(names: Sequence[str]) -> int:
    """The length of the words that all names begin with; none of a single name."""
    if len(names) < 2:
        return 0
    pairs = zip(min(names), max(names), strict=False)
    shared = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    words = re.match(r".*[_/:-]", shared)
    return words.end() if words else 0


def table(head: Sequence[str], rows: Iterable[Sequence[str]], room: int = 80) -> list[str]:
    """Aligned columns: the first to the left, the others to the right; the first gives way."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    left = max(12, room - sum(widths[1:]) - 2 * (len(head) - 1))
    names = [*shortened([head[0]], left), *shortened([line[0] for line in lines[1:]], left)]
    widths[0] = max(map(len, names))
    return [
        "  ".join(
            (
                name.ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)),
            )
        ).rstrip()
        for name, line in zip(names, lines, strict=True)
    ]


def wrapped(text: str, width: int) -> list[str]:
    room = max(40, width)
    return textwrap.wrap(
        plain(text),
        room,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
