"""Garbage collection paused while variants are drawn."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collection"]


@contextmanager
def without_collection() -> Iterator[None]:
    """Syntax trees are millions of objects without a cycle among them: collecting visits all of
    them, again and again as they grow, and frees nothing. It takes a third of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
