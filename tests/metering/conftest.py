"""A meter in front of a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_jagged.contracts.agent import AgentLimits
from pytest_jagged.contracts.settings import Prices
from pytest_jagged.metering import Meter, MeteredModel, ModelService
from tests.agents.scripted_model import Scenario, ScriptedModel, Step, scripted_model

KEY = "solve:secret-key-of-the-provider"
PRICES = Prices(input=10.0, output=50.0, cache_read=1.0, cache_write=12.5)
Metered = tuple[Meter, ScriptedModel]
OpenMeter = Callable[..., Metered]


@pytest.fixture
def metered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenMeter]:
    """Steps of the model, limits and prices of the run → its meter and the model behind it."""
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    with ExitStack() as stack:

        def start(
            *steps: Step,
            limits: AgentLimits | None = None,
            prices: Prices | None = PRICES,
            provider: str = "openai",
        ) -> Metered:
            model = stack.enter_context(scripted_model(solve=Scenario(steps)))
            service = ModelService(provider, "m", model.url, "SCRIPTED_KEY")
            limits = limits or AgentLimits(None, None, 30, 30, None)
            meter = stack.enter_context(MeteredModel(service, prices).open(limits, tmp_path))
            return meter, model

        yield start
