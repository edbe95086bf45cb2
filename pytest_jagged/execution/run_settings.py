"""The part of a study's settings that says what its runs are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["environment_settings", "model_settings", "run_settings"]

# These decide how a session goes, not what a run is.
_OF_SESSIONS = ("source", "session", "gates", "statistics", "runs", "order")
# These decide how an environment comes about, not what an agent finds in it.
_OF_MACHINES = ("trusted", "image_policy", "remove_images")
# The same model is the same wherever it is served.
_OF_SERVICES = ("api_base", "api_key_env")


def run_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """*settings* (as JSON) without what only decides how a session goes."""
    own = {key: value for key, value in settings.items() if key not in _OF_SESSIONS}
    return {
        **own,
        "environment": environment_settings(settings["environment"]),
        "model": model_settings(settings["model"]),
    }


def environment_settings(environment: Mapping[str, Any]) -> dict[str, Any]:
    """The block `environment` (as JSON), without what no run can notice."""
    return {key: value for key, value in environment.items() if key not in _OF_MACHINES}


def model_settings(model: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The block `model` (as JSON), without where it is served."""
    if model is None:
        return None
    return {key: value for key, value in model.items() if key not in _OF_SERVICES}
