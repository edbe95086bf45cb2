"""Sources of task instances; each turns what it reads into `contracts.instance.Instance`."""

from __future__ import annotations

from pytest_jagged.instances.cache import cache_root
from pytest_jagged.instances.entries import list_ids, load, refuse_unreachable

__all__ = ["cache_root", "list_ids", "load", "refuse_unreachable"]
