"""The study file against the settings dataclasses: types, bounds and unknown keys, by pydantic."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from functools import lru_cache
from typing import Any

from pytest_jagged.contracts import settings
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.yaml_file import Location

__all__ = ["study_adapter", "valid_keys", "validate_plain"]


@lru_cache(maxsize=1)
def study_adapter() -> Any:
    from pydantic import ConfigDict, TypeAdapter

    policy = ConfigDict(extra="forbid")
    for kind in vars(settings).values():
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            kind.__pydantic_config__ = policy  # type: ignore[attr-defined]
    return TypeAdapter(StudySettings)


def validate_plain(value: Any) -> StudySettings:
    """Settings from plain values, strictly: no text for a number, no truth value for a count.

    Raises:
        pydantic.ValidationError
    """
    # By way of JSON, the only form in which strict validation still takes text for a path.
    return study_adapter().validate_json(json.dumps(value), strict=True)  # type: ignore[no-any-return]


def valid_keys(location: Location) -> list[str]:
    """The keys that the mapping at *location* may have; empty where any may."""
    kind: Any = StudySettings
    for part in location:
        if isinstance(part, int):
            kind = typing.get_args(kind)[0]
            continue
        if not dataclasses.is_dataclass(kind):
            return []
        kind = _dataclass_or_sequence(typing.get_type_hints(kind).get(part))
    if not dataclasses.is_dataclass(kind):
        return []
    return [f.name for f in dataclasses.fields(kind) if location or f.name != "source"]


def _dataclass_or_sequence(kind: Any) -> Any:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        for member in typing.get_args(kind):
            if dataclasses.is_dataclass(member) or typing.get_origin(member) is tuple:
                return member
    return kind
