"""Typed access to the keys of one mapping in a YAML file; each error says file, line and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_jagged.errors import InstanceError
from pytest_jagged.yaml_file import Location, YamlFile, nearest

__all__ = ["Fields"]


class Fields:
    """The mapping at *location* with exactly the keys it may have.

    Every method raises InstanceError for a value of another type than asked for.
    """

    def __init__(self, file: YamlFile, location: Location, valid: Sequence[str]) -> None:
        self._file = file
        self._location = location
        value: Any = file.value
        for part in location:
            value = value[part]
        if not isinstance(value, dict):
            raise InstanceError(str(file.error(location, f"must be a mapping (got {value!r})")))
        self._value: dict[str, Any] = value
        for key in value:
            if key not in valid:
                raise self.error(str(key), "unknown key" + nearest(str(key), valid))

    def error(self, key: str, message: str) -> InstanceError:
        return InstanceError(str(self._file.error((*self._location, key), message)))

    def has(self, key: str) -> bool:
        return self._value.get(key) is not None

    def holds(self, key: str, value: Any) -> bool:
        return bool(self._value.get(key) == value)

    def text(self, key: str, default: str | None = None) -> str:
        """A non-empty string; required where there is no *default*."""
        if not self.has(key):
            if default is None:
                raise self.error(key, "is missing; write it")
            return default
        return self._as_text(key, self._value[key])

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; none where the key is absent."""
        value = self._value.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.error(key, f"must be a list of strings (got {value!r})")
        items = tuple(self._as_text(key, item) for item in value)
        seen: set[str] = set()
        for item in items:
            if item in seen:
                raise self.error(key, f"names {item!r} twice; remove one")
            seen.add(item)
        return items

    def texts_by_name(self, key: str) -> Mapping[str, str]:
        value = self._value.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(key, f"must be a mapping of names to strings (got {value!r})")
        return {self._as_text(key, name): self._as_text(key, v) for name, v in value.items()}

    def seconds(self, key: str) -> float | None:
        value = self._value.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise self.error(key, f"must be a number of seconds above 0 (got {value!r})")
        return float(value)

    def choice(self, key: str, choices: Sequence[Any], default: Any) -> Any:
        value = self._value.get(key, default)
        if value not in choices or isinstance(value, bool):
            names = [str(choice) for choice in choices]
            raise self.error(key, f"{value!r} is not a choice{nearest(str(value), names)}")
        return value

    def inner(self, key: str, valid: Sequence[str]) -> Fields:
        return Fields(self._file, (*self._location, key), valid)

    def _as_text(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            kind = type(value).__name__
            raise self.error(key, f"YAML reads this as {kind} {value}; write it in quotes")
        if not value.strip():
            raise self.error(key, "is empty; write it or remove the key")
        return value
