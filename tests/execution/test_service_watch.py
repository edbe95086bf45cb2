"""One wait for all workers, and what follows from a quota that is used up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.metering import Fault, Metering
from pytest_jagged.contracts.settings import SessionSettings
from pytest_jagged.contracts.tokens import Tokens
from pytest_jagged.execution.service_watch import ServiceWatch

LIMITED = Metering(
    requests=1,
    answered=0,
    failed=1,
    refused=0,
    pending=0,
    uncounted=0,
    silent=0,
    tokens=Tokens(),
    reasoning=0,
    cost_usd=0.0,
    last_fault=Fault.RATE_LIMIT,
)


@dataclass
class Clock:
    """Time passes only while somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(folder: Path, clock: Clock, *, started: float = 1000.0, **session: Any) -> ServiceWatch:
    return ServiceWatch(folder, SessionSettings(**session), started, clock, clock.sleep)


def waited(own: ServiceWatch, clock: Clock) -> float:
    before = clock.now
    own.wait()
    return clock.now - before


def test_waits_grow_and_are_shared(tmp_path: Path, clock: Clock) -> None:
    one, other = watch(tmp_path, clock), watch(tmp_path, clock)
    assert waited(one, clock) == 0
    waits = []
    for worker in (one, other, one, other, one, other, one):
        worker.failed(LIMITED)
        waits.append(waited(other, clock))
    assert waits == [2, 4, 8, 16, 32, 60, 60]
    assert max(clock.slept) <= 5  # a session that is interrupted is not held up
    other.answered()
    one.failed(LIMITED)
    assert waited(other, clock) == 2


def test_a_service_that_says_how_long_is_believed(tmp_path: Path, clock: Clock) -> None:
    own = watch(tmp_path, clock)
    own.failed(replace(LIMITED, retry_after_s=120.0))
    assert waited(own, clock) == 120
    own.failed(replace(LIMITED, retry_after_s=1e6))
    assert waited(own, clock) == 900


def test_nobody_waits_beyond_the_deadline(tmp_path: Path, clock: Clock) -> None:
    own = watch(tmp_path, clock, deadline=30.0)
    own.failed(replace(LIMITED, retry_after_s=120.0))
    assert waited(own, clock) == 30


def test_a_used_up_quota_ends_the_session(tmp_path: Path, clock: Clock) -> None:
    own = watch(tmp_path, clock)
    assert own.refusal() is None
    assert own.quota_pauses("pay more") is False
    assert "pay more" in (watch(tmp_path, clock).refusal() or "")
    assert watch(tmp_path, clock, started=2000.0).refusal() is None  # the next session tries


def test_a_used_up_quota_pauses_it_if_told_so(tmp_path: Path, clock: Clock) -> None:
    own = watch(tmp_path, clock, on_quota="pause", deadline=2000.0)
    assert own.quota_pauses("pay more") is True
    assert own.refusal() is None
    assert waited(watch(tmp_path, clock), clock) == 900
    assert own.quota_pauses("pay more") is True
    waited(own, clock)
    # The next look would come after the deadline.
    assert own.quota_pauses("pay more") is False
    assert own.refusal() is not None
