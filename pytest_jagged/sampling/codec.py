"""Certified variants as JSON, strict in both directions."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from itertools import groupby
from typing import Any

from pytest_jagged.contracts.digests import bytes_digest
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.contracts.variant import (
    Certificate,
    CertifiedVariant,
    GoldSolves,
    RejectedDraw,
    SiteRecord,
    SiteStatus,
    SkippedStep,
    Variant,
)
from pytest_jagged.errors import StoreError

__all__ = ["VARIANT_SCHEMA", "certificate_to_json", "certified_from_json", "certified_to_json"]

VARIANT_SCHEMA = 1
_GROUP = ("step", "transformation", "target", "path")


def certified_to_json(certified: CertifiedVariant, seed: Mapping[str, bytes]) -> dict[str, Any]:
    """A JSON value that is enough to rebuild the variant; *seed* are the files it changes."""
    variant = certified.variant
    return {
        "schema_version": VARIANT_SCHEMA,
        "certificate": certificate_to_json(certified.certificate),
        "variant": None if variant is None else _variant_to_json(variant, seed),
    }


def certificate_to_json(certificate: Certificate) -> dict[str, Any]:
    return _plain(certificate)


def certified_from_json(value: Any, where: str) -> CertifiedVariant:
    """Raises StoreError naming *where* for another schema or a damaged value."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    if version != VARIANT_SCHEMA:
        raise StoreError(
            f"{where}: variant schema {version!r}, this version reads {VARIANT_SCHEMA};"
            " move the file away, it is made again"
        )
    try:
        variant = value["variant"]
        return CertifiedVariant(
            certificate=_certificate_from_json(value["certificate"]),
            variant=None if variant is None else _variant_from_json(variant),
        )
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise StoreError(
            f"{where}: damaged variant ({error}); move the file away, it is made again"
        ) from None


def _plain(value: Any) -> dict[str, Any]:
    """A frozen value of scalars, enums and tuples as a JSON object."""
    return {field.name: _plain_item(getattr(value, field.name)) for field in fields(value)}


def _plain_item(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [item if isinstance(item, (str, float)) else _plain(item) for item in value]
    return value


def _certificate_from_json(value: Mapping[str, Any]) -> Certificate:
    rejected = tuple(
        RejectedDraw(item["draw"], item["reason"], tuple(item["transformations"]))
        for item in value["rejected"]
    )
    rest = {
        "rejected": rejected,
        "gold_solves": GoldSolves(value["gold_solves"]),
        "flaky": tuple(value["flaky"]),
    }
    return Certificate(**{**value, **rest})


def _variant_to_json(variant: Variant, seed: Mapping[str, bytes]) -> dict[str, Any]:
    value = _plain(Variant(**{**_shallow(variant), "edits": (), "sites": (), "skipped": ()}))
    value["edits"] = [_edit_to_json(edit, seed[edit.path]) for edit in variant.edits]
    value["sites"] = _sites_to_json(variant.sites)
    value["skipped"] = [list(_plain(skipped).values()) for skipped in variant.skipped]
    return value


def _shallow(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _variant_from_json(value: Mapping[str, Any]) -> Variant:
    rest = {
        "transformations": tuple(value["transformations"]),
        "file_probabilities": tuple(value["file_probabilities"]),
        "edits": tuple(_edit_from_json(item) for item in value["edits"]),
        "sites": tuple(_sites_from_json(value["sites"])),
        "skipped": tuple(SkippedStep(*item) for item in value["skipped"]),
    }
    return Variant(**{**value, **rest})


def _step_and_file(site: SiteRecord) -> tuple[int, str, str | None, str]:
    return site.step, site.transformation, site.target, site.path


def _sites_to_json(sites: Sequence[SiteRecord]) -> list[dict[str, Any]]:
    """Grouped by step and file: a variant may have tens of thousands of sites."""
    return [
        {
            **dict(zip(_GROUP, group, strict=True)),
            "sites": [
                [site.line, site.column, site.end_line, site.rule, site.status.value, site.reason]
                for site in members
            ],
        }
        for group, members in groupby(sites, _step_and_file)
    ]


def _sites_from_json(groups: Sequence[Mapping[str, Any]]) -> Iterator[SiteRecord]:
    for group in groups:
        shared = [group[key] for key in _GROUP]
        for *place, status, reason in group["sites"]:
            values = [*shared, *place, SiteStatus(status), reason]
            yield SiteRecord(*values)


def _edit_to_json(edit: FileEdit, before: bytes) -> dict[str, str]:
    """Whole bytes rather than a difference: the file stands alone, whatever becomes of the seed."""
    assert edit.content is not None
    return {
        "path": edit.path,
        "before": bytes_digest(before),
        "after": bytes_digest(edit.content),
        "zlib": base64.b64encode(zlib.compress(edit.content, 9)).decode("ascii"),
    }


def _edit_from_json(item: Mapping[str, str]) -> FileEdit:
    content = zlib.decompress(base64.b64decode(item["zlib"], validate=True))
    if bytes_digest(content) != item["after"]:
        raise ValueError(f"{item['path']}: bytes do not match their digest")
    return FileEdit(item["path"], content)
