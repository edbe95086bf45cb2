"""The meter of one run: a proxy of its own, from before the agent starts until after it ends."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.contracts.agent import AgentLimits
from pytest_jagged.contracts.metering import Metering, ModelAccess
from pytest_jagged.contracts.settings import Prices
from pytest_jagged.metering.ledger import Ledger
from pytest_jagged.metering.proxy import ProxyServer
from pytest_jagged.metering.request_log import RequestLog
from pytest_jagged.metering.services import ModelService

__all__ = ["Meter", "MeteredModel"]

_LOG = "requests.jsonl"
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Meter:
    access: ModelAccess
    ledger: Ledger

    def reading(self) -> Metering:
        return self.ledger.reading()


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """A model whose every use can be counted. Without prices its cost is unknown."""

    service: ModelService
    prices: Prices | None

    @contextmanager
    def open(self, limits: AgentLimits, folder: Path) -> Iterator[Meter]:
        """Serve one run; *folder* gets its request log."""
        key = self.service.key_variable
        log = RequestLog(folder / _LOG, () if key is None else (key,))
        ledger, token = Ledger(limits, self.prices), secrets.token_hex(16)
        server = ProxyServer(self.service, ledger, log, token)
        thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
        thread.start()
        try:
            yield Meter(ModelAccess(server.server_address[1], token, self.service.model), ledger)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
