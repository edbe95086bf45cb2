"""The sums of one run, and what its limits still allow; safe from several threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from pytest_jagged.contracts.agent import AgentLimits
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.metering import Fault, Metering
from pytest_jagged.contracts.settings import Prices
from pytest_jagged.contracts.tokens import Tokens
from pytest_jagged.metering.formats import Usage
from pytest_jagged.metering.prices import cost_usd

__all__ = ["Failure", "Ledger"]


@dataclass(frozen=True, slots=True)
class Failure:
    """*was_begun* is for an answer that broke off: the service may count what it had sent."""

    fault: Fault
    detail: str
    retry_after_s: float | None = None
    usage: Usage | None = None
    was_begun: bool = False


class Ledger:
    """Every request is refused, or admitted and then either answered or failed.

    Requests under way count as steps, so that several at once cannot pass the limit of steps; cost
    and tokens are known after an answer, so that these limits stop the next request.
    """

    def __init__(self, limits: AgentLimits, prices: Prices | None) -> None:
        self._limits = limits
        self._prices = prices
        self._lock = threading.Lock()
        self._under_way = 0
        self._answered = 0
        self._failed = 0
        self._refused = 0
        self._uncounted = 0
        self._silent = 0
        self._tokens = Tokens()
        self._reasoning = 0
        self._limit: Exit | None = None
        self._last: Failure | None = None

    def admit(self) -> Exit | None:
        """None admits a request; otherwise the limit that refuses it."""
        with self._lock:
            limit = self._reached()
            if limit is None:
                self._under_way += 1
            else:
                self._refused += 1
                self._limit = self._limit or limit
            return limit

    def refuse(self) -> None:
        """A request that is no request to the model under test."""
        with self._lock:
            self._refused += 1

    def answered(self, usage: Usage | None, *, is_whole: bool) -> None:
        with self._lock:
            self._under_way -= 1
            self._answered += 1
            self._last = None
            self._add(usage)
            if not is_whole:
                self._uncounted += 1
            elif usage is None:
                self._silent += 1

    def failed(self, failure: Failure) -> None:
        with self._lock:
            self._under_way -= 1
            self._failed += 1
            self._uncounted += failure.was_begun
            self._last = failure
            self._add(failure.usage)

    def reading(self) -> Metering:
        """The sums now; requests still under way are answers nobody has counted."""
        with self._lock:
            last = self._last
            known = self._prices is not None and not self._silent
            return Metering(
                requests=self._answered + self._failed + self._refused + self._under_way,
                answered=self._answered,
                failed=self._failed,
                refused=self._refused,
                pending=self._under_way,
                uncounted=self._uncounted + self._under_way,
                silent=self._silent,
                tokens=self._tokens,
                reasoning=self._reasoning,
                cost_usd=self._cost() if known else None,
                limit=self._limit,
                last_fault=None if last is None else last.fault,
                detail="" if last is None else last.detail,
                retry_after_s=None if last is None else last.retry_after_s,
            )

    def _reached(self) -> Exit | None:
        limits = self._limits
        if limits.steps is not None and self._answered + self._under_way >= limits.steps:
            return Exit.STEP_LIMIT
        if limits.cost_usd is not None and self._cost() >= limits.cost_usd:
            return Exit.COST_LIMIT
        total = self._tokens.input + self._tokens.output
        if limits.tokens is not None and total >= limits.tokens:
            return Exit.COST_LIMIT
        return None

    def _cost(self) -> float:
        return 0.0 if self._prices is None else cost_usd(self._tokens, self._prices)

    def _add(self, usage: Usage | None) -> None:
        if usage is None:
            return
        now, new = self._tokens, usage.tokens
        self._tokens = Tokens(
            input=now.input + new.input,
            output=now.output + new.output,
            cache_read=now.cache_read + new.cache_read,
            cache_write=now.cache_write + new.cache_write,
        )
        self._reasoning += usage.reasoning
