"""One metered exchange: ledger and log are told how it ended before the agent hears the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from pytest_jagged.contracts.metering import Fault
from pytest_jagged.metering.faults import classify, error_text
from pytest_jagged.metering.formats import StreamReader, Usage, read_usage
from pytest_jagged.metering.ledger import Failure, Ledger
from pytest_jagged.metering.request import ModelRequest
from pytest_jagged.metering.request_log import RequestLog
from pytest_jagged.metering.services import ModelService
from pytest_jagged.metering.upstream import BROKEN, Answer, event_data, events, send

__all__ = ["Client", "Exchange", "returned_headers"]

_RETURNED = ("content-type", "retry-after", "retry-after-ms", "request-id", "x-request-id")
_BROKE_OFF = "the answer broke off"
_RETURNED_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-")


class Client(Protocol):
    """The agent's end of the exchange."""

    def reply(self, status: int, data: bytes, headers: Mapping[str, str]) -> None: ...

    def refuse(self, status: int, message: str) -> None: ...

    def begin_stream(self, status: int, headers: Mapping[str, str]) -> None: ...

    def write_part(self, data: bytes) -> bool:
        """False when the agent has gone."""
        ...

    def end_stream(self) -> None: ...

    def break_off(self) -> None:
        """End so that the agent sees an answer that is not whole."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """*request* is admitted by the ledger already, at *began* of the log's time."""

    service: ModelService
    ledger: Ledger
    log: RequestLog
    client: Client
    request: ModelRequest
    began: float

    def run(self, headers: Mapping[str, str]) -> None:
        """Relay the request with *headers* of the agent, and its answer back."""
        path = self.request.format.value
        with ExitStack() as stack:
            try:
                answer = stack.enter_context(
                    send(self.service, "POST", path, headers, self.request.data)
                )
            except BROKEN as error:
                detail = f"no answer: {type(error).__name__}: {error}"
                self._failed(Failure(Fault.PROVIDER, detail))
                self.client.refuse(502, "the model's service cannot be reached")
                return
            if answer.status >= 300:
                self._relay_error(answer)
            elif answer.streams:
                self._relay_stream(answer)
            else:
                self._relay_whole(answer)

    def _relay_error(self, answer: Answer) -> None:
        try:
            data = answer.body.read()
        except BROKEN:
            data = b""
        body = _json(data)
        self._failed(
            Failure(
                classify(answer.status, body),
                f"{answer.status}: {error_text(body)}",
                retry_after_s=_seconds(answer.headers.get("retry-after")),
            )
        )
        self.client.reply(answer.status, data, returned_headers(answer))

    def _relay_whole(self, answer: Answer) -> None:
        try:
            data = answer.body.read()
        except BROKEN:
            self._failed(Failure(Fault.PROVIDER, _BROKE_OFF, was_begun=True))
            self.client.refuse(502, "the model's service broke off its answer")
            return
        self._answered(read_usage(self.request.format, _json(data)), is_whole=True)
        self.client.reply(answer.status, data, returned_headers(answer))

    def _relay_stream(self, answer: Answer) -> None:
        reader = StreamReader(self.request.format)
        self.client.begin_stream(answer.status, returned_headers(answer))
        client_left = not self._relay_events(answer, reader)
        if reader.error is not None:
            fault, detail = classify(200, reader.error), error_text(reader.error)
            self._failed(Failure(fault, detail, usage=reader.usage, was_begun=True))
            self.client.break_off()
        elif reader.is_whole or client_left:
            self._answered(reader.usage, is_whole=reader.is_whole)
            self.client.end_stream()
        else:
            self._failed(Failure(Fault.PROVIDER, _BROKE_OFF, usage=reader.usage, was_begun=True))
            self.client.break_off()

    def _relay_events(self, answer: Answer, reader: StreamReader) -> bool:
        """Pass on what comes; False as soon as the agent has gone."""
        try:
            for lines in events(answer):
                value = event_data(lines)
                reader.feed(value)
                ours = self.request.asked_usage and _is_usage_only(value)
                if not ours and not self.client.write_part(b"".join(lines)):
                    return False
        except BROKEN:
            return True  # the reader knows whether the last event was there
        return True

    def _answered(self, usage: Usage | None, *, is_whole: bool) -> None:
        self.ledger.answered(usage, is_whole=is_whole)
        self._write_log(usage, is_whole=is_whole)

    def _failed(self, failure: Failure) -> None:
        failure = replace(failure, detail=self.log.clean(failure.detail))
        self.ledger.failed(failure)
        self._write_log(failure.usage, fault=failure.fault.value, detail=failure.detail)

    def _write_log(self, usage: Usage | None, **ending: Any) -> None:
        request = self.request
        tokens = {} if usage is None else {**asdict(usage.tokens), "reasoning": usage.reasoning}
        self.log.write(
            self.began,
            path=request.format.value,
            request=request.parameters,
            tokens=tokens or None,
            **ending,
        )


def returned_headers(answer: Answer) -> dict[str, str]:
    """What an agent may hear of the service: no cookies, nothing about the connection."""
    return {
        name: value
        for name, value in answer.headers.items()
        if name in _RETURNED or name.startswith(_RETURNED_PREFIXES)
    }


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _is_usage_only(event: Any) -> bool:
    return isinstance(event, dict) and event.get("choices") == [] and "usage" in event


def _seconds(retry_after: str | None) -> float | None:
    """Of the header's two forms the number; a date is left to the usual wait."""
    try:
        return None if retry_after is None else max(0.0, float(retry_after))
    except ValueError:
        return None
