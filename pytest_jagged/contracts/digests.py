"""Stable digests and seeds: the same in every process, hash seed and Python version."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

__all__ = ["bytes_digest", "derive_generator", "derive_seed", "json_digest"]


def bytes_digest(data: bytes) -> str:
    """Hex SHA-256 of *data*."""
    return hashlib.sha256(data).hexdigest()


def json_digest(value: Any) -> str:
    """Hex SHA-256 of *value* as canonical JSON (sorted keys, no blanks).

    Raises:
        TypeError: *value* holds something JSON cannot say (a set, a path, bytes).
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return bytes_digest(text.encode("ascii"))


def derive_seed(study_seed: int, *parts: str | int) -> int:
    """A 64-bit seed for one purpose, e.g. `derive_seed(0, "isodate", 3, "variant")`."""
    return int(json_digest([study_seed, *parts])[:16], 16)


def derive_generator(study_seed: int, *parts: str | int) -> random.Random:
    """A generator of its own for one purpose, so that no draw shifts another."""
    return random.Random(derive_seed(study_seed, *parts))
