"""The HTTP side: whom the proxy serves, what it passes on, and what it refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

from pytest_jagged.contracts.exit import Exit
from pytest_jagged.metering.exchange import Exchange, returned_headers
from pytest_jagged.metering.formats import Format
from pytest_jagged.metering.ledger import Ledger
from pytest_jagged.metering.request import UnusableRequest, read_request
from pytest_jagged.metering.request_log import RequestLog
from pytest_jagged.metering.services import ModelService
from pytest_jagged.metering.upstream import BROKEN, send

__all__ = ["ProxyServer"]

# Asked by some agents beside their work; they cost nothing.
_FREE = (("GET", "/models"), ("POST", "/messages/count_tokens"))
_PATHS = ", ".join(f"/v1{format_.value}" for format_ in Format)
_LIMITS = {Exit.STEP_LIMIT: "limit of steps", Exit.COST_LIMIT: "limit of cost or tokens"}


class ProxyServer(ThreadingTCPServer):
    """Serves one run on a port of the loopback, under a path that only this run knows.

    (An HTTPServer would ask the name service who we are, which can take seconds.)
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, service: ModelService, ledger: Ledger, log: RequestLog, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        self.ledger = ledger
        self.log = log
        self.prefix = f"/{token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silent of an agent that went away (killed, out of patience) while it was told something;
        a fault of ours is shown.
        """
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ProxyServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: ARG002 - its signature
        return

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if length.isdigit():
            self._serve(self.rfile.read(int(length)))
        else:
            self.refuse(411, "send Content-Length")

    def _serve(self, data: bytes | None) -> None:
        if not self.path.startswith(self.server.prefix):
            self.refuse(404, "no such path")
            return
        path = "/" + self.path[len(self.server.prefix) :].partition("?")[0].strip("/")
        path = path.removeprefix("/v1")
        if (self.command, path) in _FREE:
            self._pass_through(path, data)
        elif data is not None and path in {format_.value for format_ in Format}:
            self._serve_model(Format(path), data)
        else:
            self._turn_away(path, 404, f"{self.command} {path} is not metered; use {_PATHS}")

    def _pass_through(self, path: str, data: bytes | None) -> None:
        try:
            with send(self.server.service, self.command, path, self._given(), data) as answer:
                self.reply(answer.status, answer.body.read(), returned_headers(answer))
        except BROKEN:
            self.refuse(502, "the model's service cannot be reached")

    def _serve_model(self, format_: Format, data: bytes) -> None:
        server = self.server
        try:
            request = read_request(format_, data, server.service)
        except UnusableRequest as error:
            self._turn_away(format_.value, 400, str(error))
            return
        began, limit = server.log.now(), server.ledger.admit()
        if limit is not None:
            server.log.write(began, path=format_.value, refused=limit.value)
            # Not 429: clients would wait and ask again.
            self.refuse(403, f"the run's {_LIMITS[limit]} is reached")
            return
        exchange = Exchange(server.service, server.ledger, server.log, self, request, began)
        exchange.run(self._given())

    def _turn_away(self, path: str, status: int, message: str) -> None:
        self.server.ledger.refuse()
        self.server.log.write(self.server.log.now(), path=path, refused=message)
        self.refuse(status, message)

    def _given(self) -> Mapping[str, str]:
        return dict(self.headers.items())

    # -- the client's side of an exchange ----------------------------------------------------------

    def refuse(self, status: int, message: str) -> None:
        error = {"message": message, "type": "metering", "code": "metering"}
        data = json.dumps({"type": "error", "error": error}).encode()
        self.reply(status, data, {"content-type": "application/json"})

    def reply(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        self._head(status, {**headers, "content-length": str(len(data))})
        self.wfile.write(data)

    def begin_stream(self, status: int, headers: Mapping[str, str]) -> None:
        self._head(status, {**headers, "transfer-encoding": "chunked"})

    def write_part(self, data: bytes) -> bool:
        return self._write(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self) -> None:
        self._write(b"0\r\n\r\n")

    def break_off(self) -> None:
        self.close_connection = True

    def _write(self, data: bytes) -> bool:
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.close_connection = True
            return False
        return True

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
