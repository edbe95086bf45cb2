"""Finished runs on disk: atomic writes, one session at a time, merge of shards."""

from __future__ import annotations

from pytest_jagged.records.lock import session_lock
from pytest_jagged.records.merge import merge_records
from pytest_jagged.records.store import FolderStore, open_store

__all__ = ["FolderStore", "merge_records", "open_store", "session_lock"]
