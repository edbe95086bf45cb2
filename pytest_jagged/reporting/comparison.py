"""This study against an earlier one: same instances and settings, other agent or model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_jagged.errors import ConfigError
from pytest_jagged.reporting.report import Configuration, InstanceRow, StudyDescription
from pytest_jagged.reporting.stored_report import StoredReport, read_report
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.comparison import Comparison, compare_studies

__all__ = ["EarlierReport", "check_comparable", "compare_reports", "read_earlier"]

_NAMED = 3


@dataclass(frozen=True, slots=True)
class EarlierReport:
    where: str
    report: StoredReport


def read_earlier(path: Path, study: str | None = None) -> EarlierReport:
    """A report.json, a folder that holds one, or one whose folder *study* does.

    Raises:
        ConfigError: no such report, or one of a selection of runs only.
    """
    file = path
    if path.is_dir():
        places = [path / "report.json", *([path / study / "report.json"] if study else [])]
        file = next((place for place in places if place.exists()), places[0])
    report = read_report(file)
    if report.subset:
        raise ConfigError(f"{file}: is of a selection of runs; compare with a whole study")
    return EarlierReport(str(file), report)


def check_comparable(earlier: EarlierReport, study: StudyDescription) -> None:
    """Raises ConfigError naming what differs when the studies are not comparable."""
    if "staged" in {*earlier.report.comparable, *study.comparable}:
        raise ConfigError(
            f"{earlier.where}: cannot be compared with study {study.name}: a staged study spends"
            " its runs by what they showed; compare studies without session.staged"
        )
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


def compare_reports(
    earlier: EarlierReport,
    study: StudyDescription,
    configurations: Sequence[Configuration],
    confidence: float,
) -> tuple[tuple[Configuration, ...], tuple[str, ...]]:
    """Each configuration with its comparison, and warnings on them.

    What has no partner in the earlier report is named and left as it is: runs are paid for by now.

    Raises:
        ConfigError: naming what differs, when the studies are not comparable.
    """
    check_comparable(earlier, study)
    by_model = _keywords_of_model(study.comparable)
    compared, warnings = [], list(_other_versions(earlier, study))
    for configuration in configurations:
        found = compare_studies(
            _partner(earlier, configuration),
            _cells(configuration),
            name=earlier.report.name,
            confidence=confidence,
            by_variant=not by_model,
        )
        compared.append(replace(configuration, comparison=found))
        warnings += _warnings(earlier, configuration, found, by_model)
    return tuple(compared), tuple(dict.fromkeys(warnings))


def _partner(earlier: EarlierReport, configuration: Configuration) -> tuple[PairedInstance, ...]:
    """Nothing where the earlier report has no configuration of the condition, or several."""
    same = [c for c in earlier.report.configurations if c.condition == configuration.condition]
    return same[0].cells if len(same) == 1 else ()


def _warnings(
    earlier: EarlierReport, configuration: Configuration, found: Comparison | None, by_model: bool
) -> Iterator[str]:
    if found is None:
        yield (
            f"condition {configuration.condition} is not compared: {earlier.where} has no instance"
            " with measured runs in common with it"
        )
    elif by_model:
        yield (
            "keywords come from a model, so that the studies have different variants: compared by"
            " instance alone"
        )
    elif not found.shared_variants:
        yield "the studies share no variant: compared by instance alone"


def _other_versions(earlier: EarlierReport, study: StudyDescription) -> Iterator[str]:
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
