"""From an error of a model's service to whose fault it is."""

from __future__ import annotations

import json
from typing import Any

from pytest_jagged.contracts.metering import Fault

__all__ = ["classify", "error_text"]

_QUOTA = (
    "insufficient_quota",
    "billing_hard_limit",
    "billing_not_active",
    "exceeded your current quota",
    "credit balance is too low",
    "insufficient credits",
    "insufficient balance",
    "insufficient_user_quota",
)
_CONTEXT = (
    "context_length_exceeded",
    "context length",
    "context window",
    "prompt is too long",
    "too many tokens",
    "input is too long",
    "maximum number of tokens",
)
_RATE = ("rate_limit", "rate limit", "too many requests")


def classify(status: int, body: Any) -> Fault:
    """By status, and by the words of the body where one status has several meanings."""
    text = _words(body)
    if status == 402 or any(word in text for word in _QUOTA):
        return Fault.QUOTA
    if status in (401, 403, 404):
        return Fault.AUTH
    if status == 429:
        return Fault.RATE_LIMIT
    if status >= 500 or status in (408, 409, 425):
        return Fault.PROVIDER
    if status == 413 or any(word in text for word in _CONTEXT):
        return Fault.CONTEXT_WINDOW
    if status == 200:  # an error in the middle of a stream
        return Fault.RATE_LIMIT if any(word in text for word in _RATE) else Fault.PROVIDER
    return Fault.REQUEST


def error_text(body: Any) -> str:
    """What an error says, in one line."""
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message") if isinstance(error, dict) else error
    text = message if isinstance(message, str) else json.dumps(error)
    return " ".join(text.split())[:300]


def _words(body: Any) -> str:
    text = body if isinstance(body, str) else json.dumps(body)
    return text.lower()
