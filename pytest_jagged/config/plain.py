"""What YAML makes of a text that looks like something else: refused before types are checked."""

from __future__ import annotations

import datetime
import math
from typing import Any

from pytest_jagged.yaml_file import Location, YamlFile

__all__ = ["check_plain"]


def check_plain(file: YamlFile) -> None:
    """Raises ConfigError for a value that JSON cannot say, so that settings always survive it."""
    _check(file, file.value, ())


def _check(file: YamlFile, value: Any, location: Location) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _check(file, item, (*location, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check(file, item, (*location, index))
    elif isinstance(value, datetime.date):
        kind = type(value).__name__
        raise file.error(location, f"YAML reads this as {kind} {value}; write it in quotes")
    elif isinstance(value, float) and not math.isfinite(value):
        raise file.error(
            location, f"{value} is no usable number; write one, or null for none where allowed"
        )
    elif isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise file.error(location, f"{value!a} holds half a character; write the whole one")
    elif value is not None and not isinstance(value, (bool, int, float)):
        raise file.error(location, f"is a YAML {type(value).__name__}; write text in quotes")
