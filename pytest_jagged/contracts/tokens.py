"""Token counts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tokens"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts of one run; `input` includes what was read from and written to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
