"""Frozen values from JSON by their annotations, exactly: another type is damage."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

__all__ = ["decode"]


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def decode(kind: Any, value: Any, where: str = "record") -> Any:
    """Raises ValueError naming the field that is unknown, missing or of another type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (kind,) = (argument for argument in arguments if argument is not type(None))
        return decode(kind, value, where)
    if origin is tuple:
        items = _expect(list, value, where)
        return tuple(decode(arguments[0], item, f"{where}[{n}]") for n, item in enumerate(items))
    if origin is not None and issubclass(origin, Mapping):
        pairs = _expect(dict, value, where).items()
        return {key: decode(arguments[1], item, f"{where}.{key}") for key, item in pairs}
    if dataclasses.is_dataclass(kind):
        return _decode_fields(kind, _expect(dict, value, where), where)
    if issubclass(kind, Enum):
        return kind(value)
    return _expect(kind, value, where)


def _decode_fields(kind: Any, value: dict[str, Any], where: str) -> Any:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in value:
        if name not in fields:
            raise ValueError(f"{where}.{name} is unknown")
    for name in fields:
        if name not in value:
            raise ValueError(f"{where}.{name} is missing")
    hints = _hints(kind)
    return kind(**{name: decode(hints[name], value[name], f"{where}.{name}") for name in fields})


def _expect(kind: type, value: Any, where: str) -> Any:
    """An int may stand for a float; a truth value is no number."""
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where} is {type(value).__name__}, not {kind.__name__}")
    return value
