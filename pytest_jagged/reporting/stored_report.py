"""A report.json read back, as far as comparisons and frontiers need it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.errors import ConfigError
from pytest_jagged.reporting.report import REPORT_SCHEMA_VERSION
from pytest_jagged.statistics.cells import Arm, PairedInstance

__all__ = ["StoredConfiguration", "StoredReport", "parse_report", "read_report"]


@dataclass(frozen=True, slots=True)
class StoredConfiguration:
    """Counts by instance with their variants, and published estimates in points and percent."""

    scaffold: str
    model: str
    benchmark: str
    condition: str
    cells: tuple[PairedInstance, ...]
    confidence: float
    degradation_pp: float | None
    interval_pp: Interval | None
    effort: Mapping[str, tuple[float | None, Interval | None]]


@dataclass(frozen=True, slots=True)
class StoredReport:
    name: str
    subset: bool
    comparable: Mapping[str, Any]
    versions: Mapping[str, str]
    configurations: tuple[StoredConfiguration, ...]


def read_report(path: Path) -> StoredReport:
    """Raises ConfigError when the file is no report of this schema."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a report.json") from None
    except ValueError as error:
        raise ConfigError(f"{path}: is no JSON ({error}); name a report.json") from None
    return parse_report(value, str(path))


def parse_report(value: Any, where: str) -> StoredReport:
    """Raises ConfigError naming *where* when *value* is no report of this schema."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    if version != REPORT_SCHEMA_VERSION or "configurations" not in value:
        raise ConfigError(
            f"{where}: is no report of schema {REPORT_SCHEMA_VERSION}; make it again with"
            " `jagged report DIR --json OUT`"
        )
    try:
        study = value["study"]
        return StoredReport(
            name=study["name"],
            subset=value["subset"],
            comparable=study.get("comparable", {}),
            versions=study.get("versions", {}),
            configurations=tuple(
                _configuration(c, value["confidence"]) for c in value["configurations"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{where}: damaged report ({error!r}); make it again") from None


def _configuration(value: Any, confidence: float) -> StoredConfiguration:
    degradation = value["degradation"]
    return StoredConfiguration(
        scaffold=value["scaffold"],
        model=value["model"] or "",
        benchmark=value["benchmark"],
        condition=value["condition"],
        cells=tuple(
            PairedInstance(row["id"], _arm(row["baseline"], []), _arm(row["perturbed"], variants))
            for row in value["instances"]
            for variants in [row["variants"]]
            if row["baseline"]["runs"] and row["perturbed"]["runs"]
        ),
        confidence=confidence,
        degradation_pp=degradation["mean_pp"],
        interval_pp=_interval(degradation["interval_pp"]),
        effort={
            name: (change["mean_pct"], _interval(change["interval_pct"]))
            for name, change in value["effort"].items()
        },
    )


def _arm(counts: Any, variants: Any) -> Arm:
    """Outcomes in an order that the counts do not tell; grouped by variant where they do."""
    if sum(variant["runs"] for variant in variants) != counts["runs"]:
        return Arm(_outcomes(counts))
    return Arm(
        resolved=tuple(outcome for variant in variants for outcome in _outcomes(variant)),
        variants=tuple(v["key"] for v in variants for _ in range(v["runs"])),
    )


def _outcomes(counts: Any) -> tuple[bool, ...]:
    resolved, runs = int(counts["resolved"]), int(counts["runs"])
    if not 0 <= resolved <= runs:
        raise ValueError(f"{resolved} of {runs} runs resolved")
    return (True,) * resolved + (False,) * (runs - resolved)


def _interval(value: Any) -> Interval | None:
    return None if value is None else Interval(float(value[0]), float(value[1]))
