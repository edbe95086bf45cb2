"""Merging shards does not depend on their order, nor on how often one is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.errors import StoreError
from pytest_jagged.records import merge_records
from tests.records.builders import record

# One measured outcome a key, so that no two stores contradict each other.
RECORDS = st.builds(
    lambda index, failed: record(
        index=index,
        outcome=Outcome.INFRASTRUCTURE_ERROR
        if failed
        else (Outcome.RESOLVED, Outcome.UNRESOLVED)[index % 2],
        detail="x" if failed else "",
    ),
    st.integers(1, 6),
    st.booleans(),
)
STORES = st.lists(st.lists(RECORDS, max_size=6), max_size=4)


@given(STORES, st.randoms(use_true_random=False))
def test_order_does_not_matter(stores: list[list[RunRecord]], random: object) -> None:
    shuffled = list(stores)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge_records(shuffled) == merge_records(stores)


@given(STORES)
def test_idempotent(stores: list[list[RunRecord]]) -> None:
    merged = merge_records(stores)
    assert merge_records([merged, *stores]) == merged


def test_a_measurement_wins_over_an_error() -> None:
    good, bad = record(), record(outcome=Outcome.INFRASTRUCTURE_ERROR)
    assert merge_records([[bad], [good]]) == (good,)


def test_contradiction_is_an_error() -> None:
    with pytest.raises(StoreError, match=r"thing::baseline\[r01\].*resolved, unresolved"):
        merge_records([[record()], [record(outcome=Outcome.UNRESOLVED)]])
