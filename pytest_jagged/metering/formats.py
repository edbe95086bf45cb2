"""The three formats: which requests are the model's, and what their answers say of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pytest_jagged.contracts.tokens import Tokens

__all__ = ["Format", "StreamReader", "Usage", "read_usage"]


class Format(str, Enum):
    """By the end of the path after the version."""

    CHAT = "/chat/completions"  # OpenAI
    RESPONSES = "/responses"  # OpenAI
    MESSAGES = "/messages"  # Anthropic


@dataclass(frozen=True, slots=True)
class Usage:
    tokens: Tokens
    reasoning: int


def read_usage(format_: Format, answer: Any) -> Usage | None:
    """What a whole answer says; None when it says nothing usable."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    return _usage(format_, usage) if isinstance(usage, dict) and usage else None


def _usage(format_: Format, usage: Mapping[str, Any]) -> Usage:
    """Anthropic counts cached input beside `input_tokens`, the others within theirs."""
    write = _count(usage, "cache_creation_input_tokens")
    if format_ is Format.MESSAGES:
        read = _count(usage, "cache_read_input_tokens")
        tokens = Tokens(
            input=_count(usage, "input_tokens") + read + write,
            output=_count(usage, "output_tokens"),
            cache_read=read,
            cache_write=write,
        )
        return Usage(tokens, 0)
    words = ("prompt", "completion") if format_ is Format.CHAT else ("input", "output")
    details = _part(usage, f"{words[0]}_tokens_details")
    tokens = Tokens(
        input=_count(usage, f"{words[0]}_tokens"),
        output=_count(usage, f"{words[1]}_tokens"),
        cache_read=_count(details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens"),
        cache_write=write or _count(details, "cache_write_tokens"),
    )
    return Usage(tokens, _count(_part(usage, f"{words[1]}_tokens_details"), "reasoning_tokens"))


def _part(usage: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = usage.get(key)
    return value if isinstance(value, dict) else {}


def _count(usage: Mapping[str, Any], key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) and value > 0 else 0


class StreamReader:
    """Reads the events of one streamed answer; `is_whole` once its last event was there.

    `error` is what the service says when it gives up in the middle.
    """

    def __init__(self, format_: Format) -> None:
        self._format = format_
        self._usage: dict[str, Any] = {}
        self.is_whole = False
        self.error: Any = None

    @property
    def usage(self) -> Usage | None:
        return _usage(self._format, self._usage) if self._usage else None

    def feed(self, event: Any) -> None:
        """The JSON of an event, or the text `[DONE]`."""
        if event == "[DONE]":
            self.is_whole = True
        if not isinstance(event, dict):
            return
        if event.get("error"):
            self.error = event
        kind = event.get("type")
        if kind == "response.failed":
            self.error = event.get("response")
        # Messages give the input at the start and the output, growing, in each delta.
        for holder in (event, event.get("message"), event.get("response")):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                self._usage.update({k: v for k, v in usage.items() if v is not None})
        if kind in ("message_stop", "response.completed", "response.incomplete"):
            self.is_whole = True
