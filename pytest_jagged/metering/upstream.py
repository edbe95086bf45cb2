"""The way to the service: one request with the key put in, and its answer as it comes."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from pytest_jagged.metering.formats import Format
from pytest_jagged.metering.services import ModelService

__all__ = ["BROKEN", "Answer", "event_data", "events", "send"]

_SILENCE_S = 600.0  # a service that says nothing for so long is taken for dead
_FORWARDED = ("accept", "user-agent", "content-type")
_FORWARDED_PREFIXES = ("anthropic-", "openai-", "x-stainless-")
# What reading an answer raises when the connection dies.
BROKEN = (OSError, http.client.HTTPException)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key goes to the address it is meant for, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


@dataclass(frozen=True, slots=True)
class Answer:
    """Errors included; the body may still be on its way."""

    status: int
    headers: Mapping[str, str]
    body: IO[bytes]

    @property
    def streams(self) -> bool:
        return "text/event-stream" in self.headers.get("content-type", "")


@contextmanager
def send(
    service: ModelService,
    method: str,
    path: str,
    headers: Mapping[str, str],
    data: bytes | None,
) -> Iterator[Answer]:
    """*path* is what follows the version. Raises one of `BROKEN` where no answer comes."""
    request = urllib.request.Request(
        service.base + path, data=data, headers=_headers(service, path, headers), method=method
    )
    try:
        response = _opener.open(request, timeout=_SILENCE_S)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        own = {name.lower(): value for name, value in response.headers.items()}
        yield Answer(response.status, own, response)


def _headers(service: ModelService, path: str, headers: Mapping[str, str]) -> dict[str, str]:
    own = {
        name: value
        for name, value in headers.items()
        if name.lower() in _FORWARDED or name.lower().startswith(_FORWARDED_PREFIXES)
    }
    own["Accept-Encoding"] = "identity"
    key = service.key()
    if key is not None and (service.provider == "anthropic" or Format.MESSAGES.value in path):
        own["x-api-key"] = key
    if key is not None and service.provider != "anthropic":
        own["Authorization"] = f"Bearer {key}"
    return own


def events(answer: Answer) -> Iterator[list[bytes]]:
    """The lines of each server-sent event, as they come; raises one of `BROKEN`."""
    lines: list[bytes] = []
    while line := answer.body.readline():
        lines.append(line)
        if not line.strip():
            yield lines
            lines = []
    if lines:
        yield lines


def event_data(lines: list[bytes]) -> Any:
    """The JSON of an event, the text `[DONE]`, or None for comments and the like."""
    data = b"\n".join(line[5:].strip() for line in lines if line.startswith(b"data:"))
    if data == b"[DONE]":
        return "[DONE]"
    try:
        return json.loads(data) if data else None
    except ValueError:
        return None
