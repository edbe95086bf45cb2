"""How far a long session is: a line now and then, with the expected end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from pytest_jagged.plugin.status import properties

__all__ = ["Progress"]

_SHARE = 0.05
_LEAST_S = 15.0
_MOST_S = 600.0


class Progress:
    """Counts finished runs on the controller and says when a line is due.

    An item that runs twice (its worker died) counts once, as it ended last.
    """

    def __init__(self) -> None:
        self._ended: dict[str, Mapping[str, object]] = {}
        self.start()

    def start(self) -> None:
        """The runs begin now."""
        self._started = self._spoke = time.monotonic()
        self._spoke_at = 0

    def note(self, report: pytest.TestReport) -> None:
        """Take in the one report of a run that tells how it ended."""
        given = properties(report)
        if "jagged_outcome" not in given:
            return
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._ended[report.nodeid] = {**given, "error": report.failed}

    def line(self, total: Callable[[], int]) -> str | None:
        """The line, if one is due: 5 % of *total* more and 15 s later, or ten minutes later."""
        now, done = time.monotonic(), len(self._ended)
        waited = now - self._spoke
        if waited < _LEAST_S or done == self._spoke_at:
            return None
        planned = total()
        enough = done - self._spoke_at >= _SHARE * planned or waited >= _MOST_S
        if done >= planned or not enough:
            return None
        self._spoke, self._spoke_at = now, done
        return self._text(planned, now - self._started)

    def _text(self, planned: int, elapsed_s: float) -> str:
        ended = self._ended.values()
        parts = [f"{len(ended)}/{planned} runs", *self._rates()]
        reused = sum(bool(run.get("jagged_reused")) for run in ended)
        errors = sum(bool(run["error"]) for run in ended)
        cost = sum(_number(run.get("jagged_cost_usd")) for run in ended)
        if reused:
            parts.append(f"{reused} reused")
        if errors:
            parts.append(f"{errors} errors")
        if cost:
            parts.append(f"${cost:.2f}")
        new = len(ended) - reused
        if new:
            left = (planned - len(ended)) * elapsed_s / new
            parts.append(f"expected end {_clock(time.time() + left, left)}")
        return "jagged: " + ", ".join(parts)

    def _rates(self) -> list[str]:
        """Resolved of measured runs, condition by condition."""
        measured: Counter[str] = Counter()
        resolved: Counter[str] = Counter()
        for run in self._ended.values():
            if "jagged_resolved" in run and not run["error"]:
                condition = str(run.get("jagged_condition"))
                measured[condition] += 1
                resolved[condition] += bool(run["jagged_resolved"])
        return [f"{name} {resolved[name]}/{measured[name]} resolved" for name in sorted(measured)]


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _clock(moment: float, left_s: float) -> str:
    """With the day where that is another one, or may be."""
    form = "%H:%M" if left_s < 12 * 3600 else "%a %d %b %H:%M"
    return time.strftime(form, time.localtime(moment))
