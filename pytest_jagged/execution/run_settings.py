"""The part of a study's settings that says what its runs are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["run_settings"]

# These decide how a session goes, not what a run is.
_OF_SESSIONS = ("source", "session", "gates", "statistics", "runs", "order")


def run_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """*settings* (as JSON) without what only decides how a session goes."""
    return {key: value for key, value in settings.items() if key not in _OF_SESSIONS}
