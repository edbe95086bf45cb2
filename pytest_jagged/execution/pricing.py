"""The prices of a study's model: one set for all its conditions and sessions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_jagged.config import settings_to_json
from pytest_jagged.contracts.settings import ModelSettings, Prices
from pytest_jagged.metering import PricedModel, find_prices
from pytest_jagged.reporting.study_file import read_study_file

__all__ = ["price_model", "prices_to_json"]


def price_model(settings: ModelSettings, study_file: Path) -> PricedModel:
    """The study's own prices; else those that its first session found and wrote down; else those
    of the price table that is installed now.
    """
    if settings.prices is None and study_file.exists():
        pinned = _from_json(read_study_file(study_file).prices)
        if pinned is not None and pinned.name == settings.name and pinned.source != "study":
            return pinned
    return find_prices(settings)


def prices_to_json(model: PricedModel) -> dict[str, Any]:
    """For study.json; USD per million tokens."""
    return {
        "model": model.name,
        "source": model.source,
        "usd_per_million": settings_to_json(model.prices),
    }


def _from_json(value: Mapping[str, Any] | None) -> PricedModel | None:
    """None where nothing was known, so that a later price table may know it."""
    if value is None or value["usd_per_million"] is None:
        return None
    return PricedModel(value["model"], Prices(**value["usd_per_million"]), value["source"])
