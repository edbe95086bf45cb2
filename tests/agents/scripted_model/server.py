"""The server: one thread a request, a log of all of them, the scenario by the key it is given."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.scripted_model.answers import choose_answer, events, whole
from tests.agents.scripted_model.conversation import Conversation, read_conversation
from tests.agents.scripted_model.scenario import Fault, Scenario

__all__ = ["LoggedRequest", "ScriptedModel", "scripted_model"]

_FORMATS = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}


@dataclass(frozen=True)
class LoggedRequest:
    path: str
    key: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    turn: int
    run: str


@dataclass
class ScriptedModel:
    """`requests` is the log, in order of arrival."""

    scenarios: Mapping[str, Scenario]
    url: str = ""
    requests: list[LoggedRequest] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _tries: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def number(self) -> int:
        with self._lock:
            return next(self._numbers)

    def log(self, request: LoggedRequest) -> None:
        with self._lock:
            self.requests.append(request)

    def next_fault(self, scenario: Scenario, conversation: Conversation) -> Fault | None:
        """The fault of this try: the same conversation that comes again is the next try."""
        with self._lock:
            tries = self._tries[conversation.text]
            self._tries[conversation.text] += 1
        for fault in scenario.step(conversation.turn).faults:
            if fault.times == 0 or tries < fault.times:
                return fault
            tries -= fault.times
        return None


@contextmanager
def scripted_model(**scenarios: Scenario) -> Iterator[ScriptedModel]:
    """Serves on a port of the loopback; the key `NAME` or `NAME:RUN` chooses the scenario.

    Without `:RUN` a run is named by the server in its first answer and known by that afterwards.
    """
    model = ScriptedModel(scenarios)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.model = model
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: ScriptedModel

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle is no trouble of a test's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        names = [{"id": "scripted", "object": "model"}] if self.path.endswith("/models") else []
        self._send(200, json.dumps({"object": "list", "data": names}).encode())

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0].removeprefix("/v1")
        format_ = _FORMATS.get(path)
        if format_ is None:
            self._send(404, b'{"error": {"message": "no such path"}}')
            return
        conversation = read_conversation(format_, json.loads(data))
        key = self.headers.get("x-api-key") or self.headers.get("Authorization") or ""
        key = key.removeprefix("Bearer ")
        name, _, given = key.partition(":")
        run = given or conversation.run or f"run-{self.server.model.number():08x}"
        self.server.model.log(
            LoggedRequest(
                self.path, key, dict(self.headers), conversation.body, conversation.turn, run
            )
        )
        scenario = self.server.model.scenarios.get(name)
        if scenario is None:
            self._fail(Fault(401, "invalid_api_key", f"no scenario is called {name!r}"))
        else:
            self._play(scenario, conversation, run)

    def _play(self, scenario: Scenario, conversation: Conversation, run: str) -> None:
        model = self.server.model
        fault = model.next_fault(scenario, conversation)
        time.sleep(scenario.step(conversation.turn).wait_s)
        if fault is not None and not fault.cut:
            self._fail(fault)
            return
        answer = choose_answer(scenario, conversation, f"{model.number():08x}", run)
        if conversation.streams:
            options = conversation.body.get("stream_options") or {}
            parts = list(
                events(conversation.format, answer, wants_usage=bool(options.get("include_usage")))
            )
            gate = scenario.step(conversation.turn).gate
            self._stream(parts, gate, cut=fault is not None)
        else:
            data = json.dumps(whole(conversation.format, answer)).encode()
            self._send(200, data, cut=fault is not None)

    def _fail(self, fault: Fault) -> None:
        error = {"message": fault.message, "type": fault.code, "code": fault.code}
        body = json.dumps({"type": "error", "error": error}).encode()
        self._send(fault.status, body, headers=fault.headers)

    def _send(
        self,
        status: int,
        data: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        cut: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut

    def _stream(self, parts: list[bytes], gate: threading.Event | None, *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = len(parts) // 2
        for number, part in enumerate(parts[:half] if cut else parts):
            if number == half and gate is not None:
                gate.wait(10)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        if not cut:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = cut
