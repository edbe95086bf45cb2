"""Where a model is served, by litellm's naming: `provider/model`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_jagged.contracts.settings import ModelSettings
from pytest_jagged.errors import ConfigError

__all__ = ["ModelService", "find_service"]

# Addresses with their version, and the variable that holds the key.
_KNOWN = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "moonshot": ("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "minimax": ("https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    "mistral": ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "together_ai": ("https://api.together.xyz/v1", "TOGETHERAI_API_KEY"),
    "fireworks_ai": ("https://api.fireworks.ai/inference/v1", "FIREWORKS_AI_API_KEY"),
    "xai": ("https://api.x.ai/v1", "XAI_API_KEY"),
    "gemini": (
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
}


@dataclass(frozen=True, slots=True)
class ModelService:
    """`model` is the name without the provider; `key_variable` None where no key is wanted."""

    provider: str
    model: str
    base: str
    key_variable: str | None

    def key(self) -> str | None:
        """The key, from the environment each time; it is kept nowhere."""
        return None if self.key_variable is None else os.environ.get(self.key_variable)

    def check(self) -> None:
        """Raises ConfigError when the key is not set."""
        if self.key_variable is not None and not self.key():
            raise ConfigError(
                f"model: {self.key_variable} is not set; export the key of {self.base}, or name"
                " another variable by model.api_key_env"
            )


def find_service(settings: ModelSettings) -> ModelService | None:
    """None where nothing tells the address: such a model cannot be metered.

    Raises:
        ConfigError: an address that is none.
    """
    provider, slash, model = settings.name.partition("/")
    if settings.api_base is None:
        known = _KNOWN.get(provider) if slash else None
        if known is None:
            return None
        return ModelService(provider, model, known[0], settings.api_key_env or known[1])
    parts = urlsplit(settings.api_base)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise ConfigError(
            f"model.api_base: {settings.api_base!r} is no address; write http(s)://HOST[:PORT]/v1"
        )
    base = settings.api_base.rstrip("/")
    if not slash:
        return ModelService("openai", settings.name, base, settings.api_key_env)
    return ModelService(provider, model, base, settings.api_key_env)
