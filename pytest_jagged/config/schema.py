"""The JSON Schema of a study file, for editors."""

from __future__ import annotations

from typing import Any

from pytest_jagged.config.load import study_adapter

__all__ = ["study_json_schema"]


def study_json_schema() -> dict[str, Any]:
    """Accepts what `load_study` accepts, short forms included."""
    schema: dict[str, Any] = study_adapter().json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "pytest-jagged study"
    properties = schema["properties"]
    properties.pop("source", None)
    _or_name(properties, "agent")
    _or_name(properties, "model")
    entries = properties["instances"]["items"]
    properties["instances"]["items"] = {"anyOf": [{"type": "string"}, entries]}
    deadline = schema["$defs"]["SessionSettings"]["properties"]["deadline"]
    deadline["anyOf"].append({"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*[smhd]\s*$"})
    return schema


def _or_name(properties: dict[str, Any], key: str) -> None:
    full = properties[key]
    default = {"default": full.pop("default")} if "default" in full else {}
    properties[key] = {"anyOf": [{"type": "string"}, full], **default}
