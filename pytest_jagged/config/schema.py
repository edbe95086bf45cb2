"""The JSON Schema of a study file, for editors."""

from __future__ import annotations

from typing import Any

from pytest_jagged.config.catalogue import TRANSFORMATION_NAMES
from pytest_jagged.config.descriptions import DESCRIPTIONS
from pytest_jagged.config.validation import study_adapter

__all__ = ["study_json_schema"]


def study_json_schema() -> dict[str, Any]:
    """Accepts what `load_study` accepts, short forms included; each key has a description."""
    schema: dict[str, Any] = study_adapter().json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "pytest-jagged study"
    schema["description"] = "A study: task instances, an agent, and how often they meet."
    properties = schema["properties"]
    del properties["source"]
    _describe(properties, "StudySettings")
    for name, definition in schema["$defs"].items():
        _describe(definition.get("properties", {}), name)
    _or_text(properties, "agent")
    _or_text(properties, "model")
    del properties["name"]["default"]  # the file's stem, which no schema knows
    entries = properties["instances"]["items"]
    properties["instances"]["items"] = {"anyOf": [{"type": "string"}, entries]}
    properties["conditions"]["items"]["pattern"] = r"^(baseline|perturbed|placebo)(\.|$)"
    _name_transformations(schema["$defs"]["SamplerSettings"]["properties"]["transformations"])
    deadline = schema["$defs"]["SessionSettings"]["properties"]["deadline"]
    deadline["anyOf"].append({"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*[smhd]\s*$"})
    return schema


def _name_transformations(pool: dict[str, Any]) -> None:
    for choice in pool["anyOf"]:
        if choice.get("type") == "array":
            own = {"type": "string", "pattern": ":"}
            choice["items"] = {"anyOf": [{"enum": list(TRANSFORMATION_NAMES)}, own]}


def _describe(properties: dict[str, Any], kind: str) -> None:
    for key, value in properties.items():
        value["description"] = DESCRIPTIONS[kind][key]


def _or_text(properties: dict[str, Any], key: str) -> None:
    full = properties[key]
    beside = {k: full.pop(k) for k in ("default", "description") if k in full}
    properties[key] = {"anyOf": [{"type": "string"}, full], **beside}
