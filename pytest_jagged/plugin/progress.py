"""How far a long session is: a line now and then, with the expected end."""

from __future__ import annotations

import time

import pytest

from pytest_jagged.plugin.status import properties

__all__ = ["Progress"]

_SHARE = 0.05
_LEAST_S = 15.0
_MOST_S = 600.0


class Progress:
    """Counts finished runs on the controller and says when a line is due."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.resolved = self.errors = self.reused = 0
        self.cost_usd = 0.0
        self._started = self._spoke = time.monotonic()
        self._spoke_at = 0

    def note(self, report: pytest.TestReport) -> None:
        """Take in the one report of a run that tells how it ended."""
        given = properties(report)
        if "jagged_outcome" not in given:
            return
        if report.when != "call" and not (report.when == "setup" and not report.passed):
            return
        self.done += 1
        self.resolved += bool(given.get("jagged_resolved"))
        self.errors += report.failed
        self.reused += bool(given.get("jagged_reused"))
        cost = given.get("jagged_cost_usd")
        self.cost_usd += cost if isinstance(cost, float) else 0.0

    def line(self) -> str | None:
        """The line, if one is due: 5 % more and 15 s later, or ten minutes later."""
        now = time.monotonic()
        waited = now - self._spoke
        enough = (self.done - self._spoke_at) >= _SHARE * self.total and waited >= _LEAST_S
        if (
            self.done >= self.total
            or self.done == self._spoke_at
            or not (enough or waited >= _MOST_S)
        ):
            return None
        self._spoke, self._spoke_at = now, self.done
        return self._text(now)

    def _text(self, now: float) -> str:
        parts = [f"{self.done}/{self.total} runs", f"{self.resolved} resolved"]
        if self.reused:
            parts.append(f"{self.reused} reused")
        if self.errors:
            parts.append(f"{self.errors} errors")
        if self.cost_usd:
            parts.append(f"${self.cost_usd:.2f}")
        new = self.done - self.reused
        if new:
            left = (self.total - self.done) * (now - self._started) / new
            end = time.strftime("%H:%M", time.localtime(time.time() + left))
            parts.append(f"expected end {end}")
        return "jagged: " + ", ".join(parts)
