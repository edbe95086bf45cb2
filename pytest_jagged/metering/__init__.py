"""A reverse proxy between agents and their model: adds the key, counts, and holds limits."""

from __future__ import annotations

from pytest_jagged.metering.meter import Meter, MeteredModel
from pytest_jagged.metering.prices import PricedModel, find_prices
from pytest_jagged.metering.services import ModelService, find_service
from pytest_jagged.metering.settlement import settle

__all__ = [
    "Meter",
    "MeteredModel",
    "ModelService",
    "PricedModel",
    "find_prices",
    "find_service",
    "settle",
]
