"""A request of an agent as it goes on to the service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_jagged.metering.formats import Format
from pytest_jagged.metering.services import ModelService

__all__ = ["ModelRequest", "UnusableRequest", "read_request"]

# Told apart by what they hold: texts are the trajectory's business, and long.
_TEXTS = ("messages", "input", "system", "instructions", "tools", "metadata", "prompt_cache_key")


class UnusableRequest(Exception):
    """Not for the model under test, or no request at all; the message is for the agent."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """`asked_usage` when the client did not ask for the usage of a stream and we do: the event that
    answers this is ours alone. `parameters` are what the request log keeps.
    """

    format: Format
    data: bytes
    streams: bool
    asked_usage: bool
    parameters: Mapping[str, Any]


def read_request(format_: Format, data: bytes, service: ModelService) -> ModelRequest:
    """Raises UnusableRequest for what is no JSON object, or asks for another model.

    A run is a measurement of one model: one that its agent asks beside it would be paid for at
    prices nobody knows.
    """
    try:
        body = json.loads(data)
    except ValueError:
        raise UnusableRequest("the request is no JSON") from None
    if not isinstance(body, dict):
        raise UnusableRequest("the request is no JSON object")
    model = body.get("model")
    if model not in (service.model, f"{service.provider}/{service.model}"):
        raise UnusableRequest(
            f"model {model!r} is not the one under test ({service.model}); set every model of the"
            " agent to it"
        )
    body["model"] = service.model
    streams = bool(body.get("stream"))
    asked = streams and format_ is Format.CHAT and not _wants_usage(body)
    if asked:
        body["stream_options"] = {**(body.get("stream_options") or {}), "include_usage": True}
    return ModelRequest(format_, json.dumps(body).encode(), streams, asked, _parameters(body))


def _wants_usage(body: Mapping[str, Any]) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


def _parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in body.items() if key not in _TEXTS}
    items = body.get("messages", body.get("input"))
    return {
        **own,
        "items": len(items) if isinstance(items, list) else 1,
        "tools": [_tool_name(tool) for tool in body.get("tools") or []],
    }


def _tool_name(tool: Any) -> str:
    inner = tool.get("function", tool) if isinstance(tool, dict) else {}
    return str(inner.get("name", inner.get("type", ""))) if isinstance(inner, dict) else ""
