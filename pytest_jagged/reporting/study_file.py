"""study.json: what a store's records are of, so that they can be reported without the YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.case import Case
from pytest_jagged.errors import StoreError
from pytest_jagged.records.atomic import write_json
from pytest_jagged.records.codec import case_from_json, case_to_json
from pytest_jagged.reporting.json_form import study_to_json
from pytest_jagged.reporting.report import StudyDescription

__all__ = ["StudyFile", "read_study_file", "write_study_file"]

_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class StudyFile:
    """`keys` gives the record key of each planned case; `settings` are the study's, as JSON.

    `prices` are those its model is metered by, as JSON; None for an agent without a model.
    """

    description: StudyDescription
    keys: Mapping[Case, str]
    settings: Any
    prices: Mapping[str, Any] | None = None

    @property
    def planned(self) -> tuple[Case, ...]:
        return tuple(self.keys)


def write_study_file(path: Path, study: StudyFile, host: Mapping[str, Any]) -> None:
    """*host* is for people (machine, git commit); nothing is computed from it."""
    write_json(
        path,
        {
            "schema_version": _SCHEMA_VERSION,
            "study": study_to_json(study.description),
            "settings": study.settings,
            "prices": study.prices,
            "host": dict(host),
            "planned": [{**case_to_json(case), "key": key} for case, key in study.keys.items()],
        },
    )


def read_study_file(path: Path) -> StudyFile:
    """Raises StoreError when the file is missing or of another schema."""
    try:
        value = json.loads(path.read_text("utf-8"))
        if value["schema_version"] != _SCHEMA_VERSION:
            raise StoreError(f"{path}: schema {value['schema_version']}; read it with its version")
        description: Sequence[Any] = value["study"]
        return StudyFile(
            _description(description),
            {_case(c): c["key"] for c in value["planned"]},
            value["settings"],
            value.get("prices"),
        )
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file; name a folder that a study wrote") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path}: cannot be read ({error})") from None


def _case(value: Mapping[str, Any]) -> Case:
    return case_from_json({name: item for name, item in value.items() if name != "key"})


def _description(value: Any) -> StudyDescription:
    listed = {name: tuple(value[name]) for name in ("conditions", "not_python") if name in value}
    return StudyDescription(**{**value, **listed})
