"""A table of counts, one row per configuration and instance: how results of other tools enter."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.errors import ConfigError

__all__ = ["ConditionCounts", "CountsRow", "CountsTable", "read_counts"]

_CONDITIONS = ("baseline", "perturbed")
_NEEDED = ("instance_id", *(f"{c}_{part}" for c in _CONDITIONS for part in ("n", "resolved")))
_NAMES = ("scaffold", "model", "benchmark")
_MEANS = ("steps", "cost", "steps_resolved", "cost_resolved")
_KNOWN = {*_NEEDED, *_NAMES, *(f"{c}_{mean}_mean" for c in _CONDITIONS for mean in _MEANS)}


@dataclass(frozen=True, slots=True)
class ConditionCounts:
    """`means` by measure (`steps`, `cost_resolved`, …; cost in US dollars); None is unknown."""

    runs: int
    resolved: int
    means: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class CountsRow:
    """`key` is (scaffold, model, benchmark), empty where the table does not say."""

    key: tuple[str, str, str]
    instance_id: str
    baseline: ConditionCounts
    perturbed: ConditionCounts


@dataclass(frozen=True, slots=True)
class CountsTable:
    """`unread` names the columns that mean nothing here."""

    rows: tuple[CountsRow, ...]
    unread: tuple[str, ...]


def read_counts(path: Path) -> CountsTable:
    """Raises ConfigError, with file and line, for the first thing that cannot be meant."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a CSV file of counts") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8; save it as CSV in UTF-8") from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns = list(reader.fieldnames or ())
    _check_columns(path, columns)
    rows: list[CountsRow] = []
    lines: dict[tuple[tuple[str, str, str], str], int] = {}
    for values in reader:
        where = f"{path}:{reader.line_num}"
        if None in values or None in values.values():
            raise ConfigError(f"{where}: has not {len(columns)} values; correct the row")
        row = _row(where, values)
        first = lines.setdefault((row.key, row.instance_id), reader.line_num)
        if first != reader.line_num:
            name = " ".join(part for part in (*row.key, row.instance_id) if part)
            raise ConfigError(f"{where}: {name} is in line {first} already; remove one")
        rows.append(row)
    if not rows:
        raise ConfigError(f"{path}: has no row; add one per configuration and instance")
    return CountsTable(tuple(rows), tuple(name for name in columns if name not in _KNOWN))


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise ConfigError(f"{path}:1: lacks the columns {', '.join(missing)}; add them")
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise ConfigError(f"{path}:1: names {', '.join(twice)} twice; remove one")


def _row(where: str, values: Mapping[str, str]) -> CountsRow:
    instance_id = values["instance_id"].strip()
    if not instance_id:
        raise ConfigError(f"{where}: instance_id is empty; name the instance")
    scaffold, model, benchmark = (values.get(name, "").strip() for name in _NAMES)
    baseline, perturbed = (_condition(where, name, values) for name in _CONDITIONS)
    return CountsRow((scaffold, model, benchmark), instance_id, baseline, perturbed)


def _condition(where: str, name: str, values: Mapping[str, str]) -> ConditionCounts:
    runs, resolved = (_count(where, f"{name}_{part}", values) for part in ("n", "resolved"))
    if runs is None and resolved:
        raise ConfigError(f"{where}: {name}_n is empty; write the number of runs")
    if runs and resolved is None:
        raise ConfigError(f"{where}: {name}_resolved is empty; write the number of resolved runs")
    runs, resolved = runs or 0, resolved or 0
    if resolved > runs:
        raise ConfigError(
            f"{where}: {name}_resolved {resolved} is above {name}_n {runs}; correct one"
        )
    means = {mean: _mean(where, f"{name}_{mean}_mean", values) for mean in _MEANS}
    for mean in means:
        # Tables write 0 for "nothing to average"; it is no measured zero.
        if not (resolved if mean.endswith("_resolved") else runs):
            means[mean] = None
    return ConditionCounts(runs, resolved, means)


def _count(where: str, column: str, values: Mapping[str, str]) -> int | None:
    text = values[column].strip()
    if not text:
        return None
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise ConfigError(f"{where}: {column} {text!r} is no whole number; correct it")
    if text.startswith("-"):
        raise ConfigError(f"{where}: {column} {text} is negative; correct it")
    return int(text)


def _mean(where: str, column: str, values: Mapping[str, str]) -> float | None:
    text = values.get(column, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise ConfigError(f"{where}: {column} {text!r} is no number; correct it") from None
    if not math.isfinite(value) or value < 0:
        what = "is negative" if value < 0 else "is no amount"
        raise ConfigError(f"{where}: {column} {text} {what}; leave it empty where unknown")
    return value
