"""Records as JSON, strict in both directions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeVar

from pytest_jagged.contracts.agent import Exit, Tokens
from pytest_jagged.contracts.case import Case, Condition
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import (
    SCHEMA_VERSION,
    Attempt,
    PatchSummary,
    RunRecord,
    TestsSummary,
    Timing,
    VariantSummary,
)
from pytest_jagged.errors import StoreError

__all__ = ["case_from_json", "case_to_json", "record_from_json", "record_to_json"]

_T = TypeVar("_T")


def case_to_json(case: Case) -> dict[str, Any]:
    return {
        "instance": case.instance_id,
        "condition": case.condition.name,
        "ordinal": case.ordinal,
        "index": case.index,
        "repeat": case.repeat,
    }


def case_from_json(value: Mapping[str, Any]) -> Case:
    return Case(
        instance_id=value["instance"],
        condition=Condition.parse(value["condition"]),
        ordinal=value["ordinal"],
        index=value["index"],
        repeat=value["repeat"],
    )


def record_to_json(record: RunRecord) -> dict[str, Any]:
    """A JSON value of fixed key order; None stays null (unknown)."""
    value = {f.name: _plain(getattr(record, f.name)) for f in dataclasses.fields(record)}
    value["case"] = case_to_json(record.case)
    return {"schema_version": value.pop("schema_version"), **value}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def record_from_json(value: Any, where: str) -> RunRecord:
    """Raises StoreError naming *where* for another schema, unknown or missing fields."""
    if not isinstance(value, dict):
        raise StoreError(f"{where}: not a run record; move the file away")
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{where}: record schema {version!r}, this version reads {SCHEMA_VERSION};"
            " use the version that wrote it or another reports folder"
        )
    try:
        fields = dict(value)
        fields["case"] = case_from_json(fields["case"])
        fields["outcome"] = Outcome(fields["outcome"])
        fields["exit"] = _optional(fields["exit"], Exit)
        fields["tokens"] = _optional(fields["tokens"], lambda t: Tokens(**t))
        fields["attempts"] = tuple(_attempt(item) for item in fields["attempts"])
        fields["timing"] = Timing(**fields["timing"])
        fields["patch"] = _optional(fields["patch"], lambda p: _build(PatchSummary, p))
        fields["tests"] = _optional(fields["tests"], lambda t: _build(TestsSummary, t))
        fields["variant"] = _optional(fields["variant"], lambda v: _build(VariantSummary, v))
        fields["warnings"] = tuple(fields["warnings"])
        return RunRecord(**fields)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{where}: damaged record ({error}); move the file away") from None


def _optional(value: Any, build: Callable[[Any], _T]) -> _T | None:
    return None if value is None else build(value)


def _build(kind: Callable[..., _T], value: Mapping[str, Any]) -> _T:
    """JSON lists become the tuples that frozen values hold."""
    return kind(
        **{key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    )


def _attempt(value: Mapping[str, Any]) -> Attempt:
    return Attempt(
        number=value["number"],
        exit=_optional(value["exit"], Exit),
        outcome=Outcome(value["outcome"]),
        detail=value["detail"],
        cost_usd=value["cost_usd"],
    )
