"""What clients of the three formats send, and what they read."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.metering import PLACEHOLDER_KEY, ModelAccess

__all__ = ["PATHS", "Reply", "ask", "question"]

PATHS = {"chat": "/chat/completions", "responses": "/responses", "messages": "/messages"}


@dataclass(frozen=True)
class Reply:
    """`broke_off` when the connection ended before the answer did."""

    status: int
    headers: dict[str, str]
    data: bytes
    broke_off: bool = False

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def question(format_: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": "user", "content": "What now?"}]
    return {"model": "m", "input" if format_ == "responses" else "messages": turns, **more}


def ask(access: ModelAccess, format_: str, body: dict[str, Any] | None = None) -> Reply:
    """One request as its client's library would send it."""
    if format_ == "messages":
        url = access.anthropic_url(access.host) + "/v1/messages"
        key = {"x-api-key": PLACEHOLDER_KEY, "anthropic-version": "2023-06-01"}
    else:
        url = access.openai_url(access.host) + PATHS[format_]
        key = {"Authorization": f"Bearer {PLACEHOLDER_KEY}"}
    data = json.dumps(question(format_) if body is None else body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **key})
    try:
        response = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        headers = dict(response.headers.items())
        try:
            return Reply(response.status, headers, response.read())
        except http.client.IncompleteRead as error:
            return Reply(response.status, headers, error.partial, broke_off=True)
