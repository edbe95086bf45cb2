"""Configurations laid over one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["merged"]


def merged(base: Any, over: Any) -> Any:
    """*over* where the two are no mappings; else both, key by key."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: merged(base.get(key), value) for key, value in over.items()}}
    return over
