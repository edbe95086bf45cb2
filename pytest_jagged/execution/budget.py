"""Money and time of a session, read from the store so that all workers share one purse."""

from __future__ import annotations

import time
from collections.abc import Iterable

from pytest_jagged.contracts.record import RecordStore, RunRecord
from pytest_jagged.contracts.settings import SessionSettings

__all__ = ["Budget", "spent_usd"]


def spent_usd(records: Iterable[RunRecord]) -> float:
    """Known cost of all runs and of the attempts before them; unknown costs add nothing."""
    total = 0.0
    for record in records:
        total += record.cost_usd or 0.0
        total += sum(attempt.cost_usd or 0.0 for attempt in record.attempts)
    return total


class Budget:
    """`started` is the session's start (seconds since the epoch), the same in every worker."""

    def __init__(self, settings: SessionSettings, started: float | None = None) -> None:
        self.settings = settings
        self.started = time.time() if started is None else started

    def refusal(self, store: RecordStore) -> str | None:
        """Why no further run may start now; None when one may."""
        deadline = self.settings.deadline
        if deadline is not None and time.time() - self.started >= deadline:
            return f"session deadline of {deadline:g} s reached"
        cap = self.settings.budget_usd
        if cap is not None:
            spent = spent_usd(store.records())
            if spent >= cap:
                return f"session budget of ${cap:g} spent (${spent:.2f} recorded)"
        return None
