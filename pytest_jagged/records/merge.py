"""Records of several stores as one study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.errors import StoreError

__all__ = ["merge_records"]


def merge_records(stores: Iterable[Iterable[RunRecord]]) -> tuple[RunRecord, ...]:
    """One record a run, in a stable order; commutative and idempotent.

    A measured record wins over an error record of the same key; of two error records the one with
    more attempts, then the smaller text, wins.

    Raises:
        StoreError: two measured records of one key disagree.
    """
    merged: dict[str, RunRecord] = {}
    for records in stores:
        for record in records:
            known = merged.get(record.key)
            merged[record.key] = record if known is None else _choose(known, record)
    return tuple(sorted(merged.values(), key=_order))


def _choose(one: RunRecord, other: RunRecord) -> RunRecord:
    if one == other:
        return one
    if one.outcome.is_measured != other.outcome.is_measured:
        return one if one.outcome.is_measured else other
    if one.outcome.is_measured and _measurement(one) != _measurement(other):
        raise StoreError(
            f"{one.case.instance_id}::{one.case.item_name}: two stores hold different records of"
            f" one run ({one.outcome.value}, {other.outcome.value}); merge only shards of one study"
        )
    return min(one, other, key=lambda r: (-len(r.attempts), r.finished_at, repr(r)))


def _measurement(record: RunRecord) -> RunRecord:
    return replace(record, finished_at="", attempts=())


def _order(record: RunRecord) -> tuple[str, str, int, str]:
    case = record.case
    return case.instance_id, case.condition.name, case.ordinal, record.key
