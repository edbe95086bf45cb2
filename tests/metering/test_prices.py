"""Prices from the study and from litellm's table, which is read without the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_jagged.contracts.settings import ModelSettings, Prices
from pytest_jagged.contracts.tokens import Tokens
from pytest_jagged.errors import ConfigError
from pytest_jagged.metering import ModelService, find_prices, find_service
from pytest_jagged.metering.prices import cost_usd


@pytest.mark.parametrize(
    ("model", "input_", "output", "cache_read", "cache_write"),
    [
        ("anthropic.claude-opus-4-5-20251101-v1:0", 5.0, 25.0, 0.5, 6.25),
        ("moonshotai.kimi-k2.5", 0.6, 3.0, None, None),
        ("minimax.minimax-m2.5", 0.3, 1.2, None, None),
        ("openai/gpt-4o", 2.5, 10.0, 1.25, None),
    ],
)
def test_published_prices(
    model: str, input_: float, output: float, cache_read: float | None, cache_write: float | None
) -> None:
    found = find_prices(ModelSettings(model))
    assert found.prices == Prices(input_, output, cache_read, cache_write)
    assert found.source.startswith("litellm ")


def test_the_cost_of_a_request_as_its_provider_bills_it() -> None:
    """1000 tokens in, 800 of them read from and 100 written to the cache of Opus 4.5."""
    prices = find_prices(ModelSettings("anthropic.claude-opus-4-5-20251101-v1:0")).prices
    assert prices is not None
    tokens = Tokens(input=1000, output=0, cache_read=800, cache_write=100)
    assert cost_usd(tokens, prices) == pytest.approx(0.001525)


def test_cached_tokens_without_a_price_are_not_free() -> None:
    tokens = Tokens(input=1000, output=0, cache_read=800)
    assert cost_usd(tokens, Prices(input=10.0, output=0.0)) == pytest.approx(0.01)


def test_the_study_wins() -> None:
    own = Prices(input=1.0, output=2.0)
    found = find_prices(ModelSettings("openai/gpt-4o", prices=own))
    assert (found.prices, found.source) == (own, "study")


@pytest.mark.parametrize("model", ["openai/no-such-model", "deepseek/gpt-4o", "some-model"])
def test_unknown_is_not_free(model: str) -> None:
    assert find_prices(ModelSettings(model)).prices is None


def test_reading_the_table_imports_no_litellm() -> None:
    code = (
        "import sys\n"
        "from pytest_jagged.contracts.settings import ModelSettings\n"
        "from pytest_jagged.metering import find_prices\n"
        "assert find_prices(ModelSettings('openai/gpt-4o')).prices\n"
        "assert 'litellm' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_addresses() -> None:
    assert find_service(ModelSettings("anthropic/claude-x")) == ModelService(
        "anthropic", "claude-x", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"
    )
    assert find_service(ModelSettings("openrouter/maker/model", api_key_env="MINE")) == (
        ModelService("openrouter", "maker/model", "https://openrouter.ai/api/v1", "MINE")
    )
    own = ModelSettings("openai/qwen", api_base="http://10.0.0.1:8000/v1/")
    assert find_service(own) == ModelService("openai", "qwen", "http://10.0.0.1:8000/v1", None)
    assert find_service(ModelSettings("some/model")) is None
    assert find_service(ModelSettings("m")) is None


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host/v1", "http://", "http://h/?a"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ConfigError, match=r"model\.api_base: .* is no address"):
        find_service(ModelSettings("openai/m", api_base=address))
