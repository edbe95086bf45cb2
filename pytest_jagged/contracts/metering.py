"""What one run asked of its model's service, as the metering proxy saw it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.tokens import Tokens

__all__ = ["PLACEHOLDER_KEY", "Fault", "Metering", "ModelAccess"]

# Clients want a key before they send anything; the proxy puts the real one in its place.
PLACEHOLDER_KEY = "unused"


class Fault(str, Enum):
    """Why the service did not answer."""

    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"  # paid use is exhausted: no wait of seconds helps
    AUTH = "auth"  # the key, or the model's name
    PROVIDER = "provider"  # the service or the way to it
    CONTEXT_WINDOW = "context_window"
    REQUEST = "request"  # the agent's request was wrong


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """A run's own way to the model, which needs no key: a port of the host's loopback.

    `model` is what the service calls the model. *host* is `Environment.host_url(port)`, or
    `http://127.0.0.1:PORT` for what runs on the host.
    """

    port: int
    token: str
    model: str

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def openai_url(self, host: str) -> str:
        """What OpenAI clients call base URL: version included."""
        return f"{host}/{self.token}/v1"

    def anthropic_url(self, host: str) -> str:
        """What Anthropic clients call base URL: without a version."""
        return f"{host}/{self.token}"


@dataclass(frozen=True, slots=True)
class Metering:
    """Sums over the requests of one run.

    `answered` are the steps; `pending` requests were still without an answer. `refused` ones went
    nowhere: over a limit, or of another model. `uncounted` answers broke off before they said their
    usage, so that tokens and cost are lower bounds; `silent` ones were whole and said none, so that
    nothing is known. `cost_usd` is None without a price or with a silent answer. `reasoning` is a
    part of the output tokens.
    """

    requests: int
    answered: int
    failed: int
    refused: int
    pending: int
    uncounted: int
    silent: int
    tokens: Tokens
    reasoning: int
    cost_usd: float | None
    limit: Exit | None = None  # that refused a request
    last_fault: Fault | None = None  # of the last request, None if it was answered
    detail: str = ""  # what the service said of it
    retry_after_s: float | None = None
