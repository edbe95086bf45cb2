"""YAML → frozen settings; every error names file, line, key and the nearest valid key."""

from __future__ import annotations

from pytest_jagged.config.catalogue import ARTIFACT_PRESET, TRANSFORMATION_NAMES
from pytest_jagged.config.codec import settings_from_json, settings_to_json
from pytest_jagged.config.load import load_study
from pytest_jagged.config.schema import study_json_schema

__all__ = [
    "ARTIFACT_PRESET",
    "TRANSFORMATION_NAMES",
    "load_study",
    "settings_from_json",
    "settings_to_json",
    "study_json_schema",
]
