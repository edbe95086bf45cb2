"""What tokens cost: the study's prices, or those of litellm's table (which is only read)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.settings import ModelSettings, Prices
from pytest_jagged.contracts.tokens import Tokens

__all__ = ["PricedModel", "cost_usd", "find_prices"]

_TABLE = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class PricedModel:
    """`source` says where the prices are from; they are None where nobody knows them."""

    name: str
    prices: Prices | None
    source: str


def find_prices(settings: ModelSettings) -> PricedModel:
    """The study's own prices win. A price of 0 in the table means unknown there."""
    if settings.prices is not None:
        return PricedModel(settings.name, settings.prices, "study")
    entry = _entry(settings.name)
    if entry is None:
        return PricedModel(settings.name, None, "unknown")
    prices = Prices(
        input=_per_million(entry, "input_cost_per_token") or 0.0,
        output=_per_million(entry, "output_cost_per_token") or 0.0,
        cache_read=_per_million(entry, "cache_read_input_token_cost"),
        cache_write=_per_million(entry, "cache_creation_input_token_cost"),
    )
    if not prices.input or not prices.output:
        return PricedModel(settings.name, None, "unknown")
    return PricedModel(settings.name, prices, f"litellm {metadata.version('litellm')}")


def cost_usd(tokens: Tokens, prices: Prices) -> float:
    """Cached tokens without a price of their own cost what other input costs."""
    read = prices.input if prices.cache_read is None else prices.cache_read
    write = prices.input if prices.cache_write is None else prices.cache_write
    fresh = max(0, tokens.input - tokens.cache_read - tokens.cache_write)
    return (
        fresh * prices.input
        + tokens.cache_read * read
        + tokens.cache_write * write
        + tokens.output * prices.output
    ) / _MILLION


def _entry(name: str) -> Mapping[str, Any] | None:
    """By the full name, or by the bare one if that is the same provider's."""
    table = _table()
    if name in table:
        return table[name]
    provider, slash, bare = name.partition("/")
    entry = table.get(bare)
    if slash and entry is not None and entry.get("litellm_provider") == provider:
        return entry
    return None


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    """Importing litellm takes ten seconds; finding its folder takes none."""
    spec = util.find_spec("litellm")
    for folder in [] if spec is None else spec.submodule_search_locations or []:
        path = Path(folder) / _TABLE
        if path.is_file():
            table: Mapping[str, Mapping[str, Any]] = json.loads(path.read_text("utf-8"))
            return table
    return {}


def _per_million(entry: Mapping[str, Any], key: str) -> float | None:
    value = entry.get(key)
    # Twelve digits: 3e-07 a token is 0.3 a million, not 0.29999999999999999.
    return None if value is None else float(f"{float(value) * _MILLION:.12g}")
