"""How the model's service is doing: one wait for all workers, and one word on its quota."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from pytest_jagged.contracts.metering import Metering
from pytest_jagged.contracts.settings import SessionSettings
from pytest_jagged.records.atomic import write_json

__all__ = ["ServiceWatch"]

_LONGEST_S = 60.0  # of the growing waits; a service may ask for more
_LONGEST_ASKED_S = 900.0
_QUOTA_S = 900.0  # between two looks whether paid use goes on
_TICK_S = 5.0


@dataclass(frozen=True, slots=True)
class ServiceWatch:
    """Kept in a file of the store, so that all workers wait for what one of them has met.

    `started` (seconds since the epoch, as `clock` gives them) is the session's: what an earlier one
    met is forgotten.
    """

    folder: Path
    session: SessionSettings
    started: float
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    def wait(self) -> None:
        """Until the service may be asked again; not beyond the session's deadline."""
        while True:
            until = min(self._read().get("until", 0.0), self._deadline())
            rest = until - self.clock()
            if rest <= 0:
                return
            self.sleep(min(rest, _TICK_S))

    def failed(self, metering: Metering | None) -> None:
        """Rate limits and outages: each makes the wait longer, or as long as was asked for."""
        asked = None if metering is None else metering.retry_after_s
        with self._locked():
            state = self._read()
            failures = int(state.get("failures", 0)) + 1
            pause = max(min(_LONGEST_S, 2.0**failures), min(asked or 0.0, _LONGEST_ASKED_S))
            until = max(state.get("until", 0.0), self.clock() + pause)
            self._write({**state, "failures": failures, "until": until})

    def answered(self) -> None:
        """The service works: the next wait begins small again."""
        if self._read().get("failures"):
            with self._locked():
                self._write({**self._read(), "failures": 0})

    def quota_pauses(self, detail: str) -> bool:
        """Paid use is exhausted: whether to look again later (`on_quota: pause`) or to end."""
        pauses = self.session.on_quota == "pause" and self.clock() + _QUOTA_S < self._deadline()
        with self._locked():
            state = self._read()
            if pauses:
                self._write({**state, "until": self.clock() + _QUOTA_S})
            else:
                self._write({**state, "quota_ended": detail})
        return pauses

    def refusal(self) -> str | None:
        """Why no further run may start in this session; None when one may."""
        detail = self._read().get("quota_ended")
        if detail is None:
            return None
        return (
            f"the quota of the model's service is used up ({detail}); the same command goes on when"
            " there is more"
        )

    def _deadline(self) -> float:
        seconds = self.session.deadline
        return float("inf") if seconds is None else self.started + seconds

    @property
    def _path(self) -> Path:
        return self.folder / ".locks" / "service.json"

    def _locked(self) -> FileLock:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(self._path.with_suffix(".lock"))

    def _read(self) -> Mapping[str, Any]:
        try:
            state: Mapping[str, Any] = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return state if state["session"] == self.started else {}

    def _write(self, state: Mapping[str, Any]) -> None:
        write_json(self._path, {**state, "session": self.started})
