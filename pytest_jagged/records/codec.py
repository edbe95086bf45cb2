"""Records as JSON, strict in both directions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pytest_jagged.contracts.case import Case, Condition
from pytest_jagged.contracts.record import SCHEMA_VERSION, RunRecord
from pytest_jagged.errors import StoreError
from pytest_jagged.records.decoding import decode

__all__ = ["case_from_json", "case_to_json", "record_from_json", "record_to_json"]


@dataclass(frozen=True, slots=True)
class _CaseForm:
    """A case as it is written: the condition by its name."""

    instance: str
    condition: str
    ordinal: int
    index: int
    repeat: int
    stage: int


def case_to_json(case: Case) -> dict[str, Any]:
    """A case of a study without stages does not mention one."""
    stage = {"stage": case.stage} if case.stage else {}
    return {
        "instance": case.instance_id,
        "condition": case.condition.name,
        "ordinal": case.ordinal,
        "index": case.index,
        "repeat": case.repeat,
        **stage,
    }


def case_from_json(value: Any) -> Case:
    """Raises ValueError naming what is wrong."""
    if isinstance(value, dict):
        value = {"stage": 0, **value}
    form: _CaseForm = decode(_CaseForm, value, "case")
    return Case(
        instance_id=form.instance,
        condition=Condition.parse(form.condition),
        ordinal=form.ordinal,
        index=form.index,
        repeat=form.repeat,
        stage=form.stage,
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
        case = case_from_json(value.get("case"))
        condition = {"kind": case.condition.kind.value, "label": case.condition.label}
        contract_form = {
            "instance_id": case.instance_id,
            "condition": condition,
            "ordinal": case.ordinal,
            "index": case.index,
            "repeat": case.repeat,
            "stage": case.stage,
        }
        record: RunRecord = decode(RunRecord, {"metering": None, **value, "case": contract_form})
    except ValueError as error:
        raise StoreError(f"{where}: damaged record ({error}); move the file away") from None
    return record
