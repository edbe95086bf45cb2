"""Settings as JSON, for study.json and for digests."""

from __future__ import annotations

import dataclasses
from enum import Enum
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.settings import StudySettings

__all__ = ["settings_from_json", "settings_to_json"]


def settings_to_json(settings: Any) -> Any:
    """Any settings value as plain JSON; paths become text."""
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        return {
            field.name: settings_to_json(getattr(settings, field.name))
            for field in dataclasses.fields(settings)
        }
    if isinstance(settings, Enum):
        return settings.value
    if isinstance(settings, Path):
        return str(settings)
    if isinstance(settings, (list, tuple)):
        return [settings_to_json(item) for item in settings]
    if isinstance(settings, dict):
        return {str(key): settings_to_json(item) for key, item in settings.items()}
    return settings


def settings_from_json(value: Any) -> StudySettings:
    """The inverse of `settings_to_json` for a whole study."""
    from pytest_jagged.config.validation import validate_plain

    return validate_plain(value)
