"""This study against an earlier one: same instances and settings, other agent or model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jagged.errors import ConfigError
from pytest_jagged.reporting.report import Configuration, InstanceRow, StudyDescription
from pytest_jagged.reporting.stored_report import StoredReport, read_report
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.comparison import Comparison, compare_studies

__all__ = ["Compared", "EarlierReport", "compare_reports", "read_earlier"]

_NAMED = 3


@dataclass(frozen=True, slots=True)
class EarlierReport:
    where: str
    report: StoredReport


@dataclass(frozen=True, slots=True)
class Compared:
    comparison: Comparison | None = None
    warnings: tuple[str, ...] = ()


def read_earlier(path: Path) -> EarlierReport:
    """A report.json, or a folder that holds one.

    Raises:
        ConfigError: no such report, or one of a selection of runs only.
    """
    file = path / "report.json" if path.is_dir() else path
    report = read_report(file)
    if report.subset:
        raise ConfigError(f"{file}: is of a selection of runs; compare with a whole study")
    return EarlierReport(str(file), report)


def compare_reports(
    earlier: EarlierReport,
    study: StudyDescription,
    configuration: Configuration,
    confidence: float,
) -> Compared:
    """Raises ConfigError naming what differs when the studies are not comparable."""
    different = (
        []
        if not study.comparable
        else list(_differences(earlier.report.comparable, study.comparable))
    )
    if different:
        more = f" and {len(different) - _NAMED} more" if len(different) > _NAMED else ""
        raise ConfigError(
            f"{earlier.where}: cannot be compared with study {study.name}:"
            f" {'; '.join(different[:_NAMED])}{more}"
        )
    before = _partner(earlier, configuration)
    by_model = _keywords_of_model(study.comparable)
    found = compare_studies(
        before,
        _cells(configuration),
        name=earlier.report.name,
        confidence=confidence,
        by_variant=not by_model,
    )
    if found is None:
        raise ConfigError(f"{earlier.where}: has no instance in common with study {study.name}")
    return Compared(found, tuple(_warnings(earlier, study, found, by_model)))


def _partner(earlier: EarlierReport, configuration: Configuration) -> tuple[PairedInstance, ...]:
    same = [c for c in earlier.report.configurations if c.condition == configuration.condition]
    if len(same) != 1:
        raise ConfigError(
            f"{earlier.where}: holds {len(same)} configurations of condition"
            f" {configuration.condition}; one is needed"
        )
    return same[0].cells


def _warnings(
    earlier: EarlierReport, study: StudyDescription, found: Comparison, by_model: bool
) -> Iterator[str]:
    if by_model:
        yield (
            "keywords come from a model, so that the studies have different variants: compared by"
            " instance alone"
        )
    elif not found.shared_variants:
        yield "the studies share no variant: compared by instance alone"
    for name, version in study.versions.items():
        other = earlier.report.versions.get(name)
        if other is not None and other != version:
            yield f"compared with a study made by {name} {other}, this one by {version}"


def _keywords_of_model(comparable: Mapping[str, Any]) -> bool:
    sampler = comparable.get("sampler") or {}
    return bool((sampler.get("keywords") or {}).get("source") == "model")


def _cells(configuration: Configuration) -> tuple[PairedInstance, ...]:
    return tuple(
        PairedInstance(row.id, Arm(_outcomes(row.baseline.resolved, row.baseline.runs)), _arm(row))
        for row in configuration.instances
        if row.degradation is not None
    )


def _arm(row: InstanceRow) -> Arm:
    if sum(variant.runs for variant in row.variants) != row.perturbed.runs:
        return Arm(_outcomes(row.perturbed.resolved, row.perturbed.runs))
    return Arm(
        resolved=tuple(o for v in row.variants for o in _outcomes(v.resolved, v.runs)),
        variants=tuple(v.key for v in row.variants for _ in range(v.runs)),
    )


def _outcomes(resolved: int, runs: int) -> tuple[bool, ...]:
    return (True,) * resolved + (False,) * (runs - resolved)


def _differences(earlier: Any, current: Any, path: str = "") -> Iterator[str]:
    """Every leaf that differs, as `sampler.n_files was 5, is 10`."""
    if isinstance(earlier, Mapping) and isinstance(current, Mapping):
        for key in sorted(earlier.keys() | current.keys()):
            where = f"{path}.{key}" if path else str(key)
            if key not in earlier:
                yield f"{where} is new"
            elif key not in current:
                yield f"{where} is gone"
            else:
                yield from _differences(earlier[key], current[key], where)
    elif earlier != current:
        yield f"{path} was {earlier!r}, is {current!r}"
