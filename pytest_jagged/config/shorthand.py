"""The short forms a study file allows, written out before validation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_jagged.yaml_file import YamlFile

__all__ = ["expand_shorthand"]

_PATH_KEYS = frozenset({"path", "swebench", "completions", "ids_file", "rows", "scripts"})
_DURATION = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([smhd])\s*$")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def expand_shorthand(file: YamlFile) -> dict[str, Any]:
    """A copy with names as mappings, relative paths resolved and durations in seconds."""
    value = dict(file.value)
    base = file.path.resolve().parent
    for key in ("agent", "model"):
        if isinstance(value.get(key), str):
            value[key] = {"name": value[key]}
    if isinstance(value.get("agent"), dict):
        value["agent"] = _resolve(value["agent"], ("python", "prompt"), base)
    if isinstance(value.get("instances"), list):
        value["instances"] = [_instance(entry, base) for entry in value["instances"]]
    session = value.get("session")
    if isinstance(session, dict) and isinstance(session.get("deadline"), str):
        value["session"] = {**session, "deadline": _seconds(session["deadline"])}
    return value


def _instance(entry: Any, base: Path) -> Any:
    if isinstance(entry, str):
        entry = {"path": entry}
    if not isinstance(entry, dict):
        return entry
    entry = _resolve(entry, _PATH_KEYS, base)
    if isinstance(entry.get("swebench_pro"), dict):
        entry["swebench_pro"] = _resolve(entry["swebench_pro"], _PATH_KEYS, base)
    return entry


def _resolve(mapping: Mapping[str, Any], keys: Any, base: Path) -> dict[str, Any]:
    """Absolute, but without following links: a venv's python is a link that must stay one."""
    return {
        key: _absolute(item, base) if key in keys and isinstance(item, str) else item
        for key, item in mapping.items()
    }


def _absolute(text: str, base: Path) -> str:
    try:
        return str(base / Path(text).expanduser())
    except RuntimeError:  # `~user` without such a user: a file of that name, if any
        return str(base / text)


def _seconds(text: str) -> float | str:
    match = _DURATION.match(text)
    return float(match[1]) * _UNIT_S[match[2]] if match else text
