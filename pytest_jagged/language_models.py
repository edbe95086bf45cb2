"""The one edge to litellm, which takes seconds to import: it is imported when first called."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from pytest_jagged.contracts.settings import ModelSettings
from pytest_jagged.errors import ModelServiceFailure

__all__ = ["fill_form"]

_MAX_TOKENS = 8192  # reasoning included
_ATTEMPTS = 3
_PASSING = (
    "RateLimitError",
    "InternalServerError",
    "ServiceUnavailableError",
    "APIConnectionError",
    "Timeout",
)
_TIMEOUT_S = 300


def fill_form(
    model: ModelSettings, system: str, text: str, *, name: str, schema: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments with which *model* calls the one tool it is given (structured output).

    Sampled at temperature 0. The key comes from the environment: `model.api_key_env`, or what
    litellm expects of the provider.

    Raises:
        ModelServiceFailure: no answer, or one that is no call of the tool with a JSON object.
    """
    function = {"name": name, "description": "Report the result.", "parameters": dict(schema)}
    answer = _complete(
        model,
        messages=[{"role": "system", "content": system}, {"role": "user", "content": text}],
        tools=[{"type": "function", "function": function}],
        tool_choice={"type": "function", "function": {"name": name}},
        temperature=0,
        max_tokens=_MAX_TOKENS,
    )
    return _arguments(model, answer)


def _complete(model: ModelSettings, **request: Any) -> Any:
    """litellm's own retries need a package that it does not install."""
    litellm = _litellm()
    name = model.name if "/" in model.name else f"openai/{model.name}"
    passing = tuple(getattr(litellm.exceptions, kind) for kind in _PASSING)
    for number in range(1, _ATTEMPTS + 1):
        try:
            return litellm.completion(
                model=name, timeout=_TIMEOUT_S, drop_params=True, **request, **_address(model)
            )
        except Exception as error:  # whatever a provider's client raises is the service's trouble
            if number == _ATTEMPTS or not isinstance(error, passing):
                raise ModelServiceFailure(f"{model.name}: {type(error).__name__}") from error
            time.sleep(2.0**number)
    raise AssertionError("the last attempt returns or raises")


def _litellm() -> Any:
    # Without it the import asks the network for a price table.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def _address(model: ModelSettings) -> dict[str, str]:
    """litellm puts the version into Anthropic addresses itself."""
    own: dict[str, str] = {}
    if model.api_base is not None:
        base = model.api_base.rstrip("/")
        is_anthropic = model.name.startswith("anthropic/")
        own["api_base"] = base.removesuffix("/v1") if is_anthropic else base
        own["api_key"] = "unused"  # a server of one's own may want none, its client does
    if model.api_key_env is not None:
        own["api_key"] = os.environ.get(model.api_key_env, "")
    return own


def _arguments(model: ModelSettings, answer: Any) -> dict[str, Any]:
    calls = answer.choices[0].message.tool_calls
    if not calls:
        finish = answer.choices[0].finish_reason
        raise ModelServiceFailure(f"{model.name}: no structured answer (it ended by {finish})")
    try:
        value = json.loads(calls[0].function.arguments)
    except ValueError:
        raise ModelServiceFailure(f"{model.name}: an answer that is no JSON") from None
    if not isinstance(value, dict):
        raise ModelServiceFailure(f"{model.name}: an answer that is no JSON object")
    return value
