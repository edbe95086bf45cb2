"""The optional JSON an agent leaves about itself; anything odd in it is noted, never fatal."""

from __future__ import annotations

import json
import math
from typing import Any

from pytest_jagged.contracts.agent import AgentResult, Exit, Tokens

__all__ = ["read_result"]

_TOKEN_KEYS = ("input", "output", "cache_read", "cache_write")
_MOST = 10**15  # beyond it a number is a mistake, and no float counts exactly


def read_result(data: bytes, exit_: Exit, detail: str, *, believed: bool = True) -> AgentResult:
    """What *data* says, over what the process's end said (*exit_*, *detail*).

    A process that did not end by itself is not *believed* about its end; one that ended with an
    error may say why (`rate_limit`, `step_limit`, ...), but not that it submitted.
    """
    notes = [detail] if detail else []
    value = _parse(data, notes)
    claimed = value.get("exit")
    if claimed is not None and believed:
        try:
            end = Exit(claimed)
        except ValueError:
            notes.append(f"result file: unknown exit {_short(claimed)}")
        else:
            exit_ = end if exit_ is Exit.SUBMITTED or end is not Exit.SUBMITTED else exit_
    return AgentResult(
        exit_,
        steps=_count(value, "steps", notes),
        tokens=_tokens(value.get("tokens"), notes),
        cost_usd=_amount(value, "cost_usd", notes),
        detail="; ".join(notes),
        trajectory=value.get("trajectory"),
    )


def _parse(data: bytes, notes: list[str]) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError):
        notes.append("result file: not JSON")
        return {}
    if not isinstance(value, dict):
        notes.append("result file: not a JSON object")
        return {}
    return value


def _finite(text: str) -> float | None:
    """`1e999` is infinite, which JSON cannot say."""
    number = float(text)
    return number if math.isfinite(number) else None


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _count(value: dict[str, Any], key: str, notes: list[str]) -> int | None:
    number = value.get(key)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= _MOST:
        notes.append(f"result file: {key} {_short(number)} is no count")
        return None
    return number


def _amount(value: dict[str, Any], key: str, notes: list[str]) -> float | None:
    number = value.get(key)
    if number is None:
        return None
    valid = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not valid or not 0 <= number <= _MOST:
        notes.append(f"result file: {key} {_short(number)} is no amount")
        return None
    return float(number)


def _tokens(value: Any, notes: list[str]) -> Tokens | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        notes.append("result file: tokens is no object")
        return None
    counts = {key: _count(value, key, notes) or 0 for key in _TOKEN_KEYS}
    return Tokens(**counts)
