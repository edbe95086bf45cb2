"""Conditions between keys that types cannot say."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_jagged.config.catalogue import ARTIFACT_PRESET, TRANSFORMATION_NAMES
from pytest_jagged.contracts.case import Condition, ConditionKind
from pytest_jagged.contracts.settings import (
    GateMetric,
    GateSettings,
    InstanceEntry,
    SamplerSettings,
    StudySettings,
)
from pytest_jagged.yaml_file import YamlFile, nearest

__all__ = ["check_study"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PLANNED_RUNS = (GateMetric.INSTANCE_DEGRADATION, GateMetric.REGRESSION)
_PERCENT_METRICS = (GateMetric.STEPS, GateMetric.COST)


def check_study(file: YamlFile, settings: StudySettings) -> None:
    """Raises ConfigError for the first condition that does not hold."""
    if not _NAME.fullmatch(settings.name):
        raise file.error(
            ("name",),
            f"{settings.name[:110]!r} names a folder; write `name:` with up to 100 letters,"
            " digits, '.', '_' and '-'",
        )
    if not settings.instances:
        raise file.error(("instances",), "is empty; name at least one instance")
    for index, entry in enumerate(settings.instances):
        _check_entry(file, index, entry)
    _check_conditions(file, settings)
    _check_sampler(file, settings)
    for index, gate in enumerate(settings.gates):
        _check_gate(file, index, gate)
    if settings.session.staged:
        _check_staged(file, settings)


def _check_entry(file: YamlFile, index: int, entry: InstanceEntry) -> None:
    where = ("instances", index)
    sources = ("path", "swebench", "swebench_pro", "completions")
    given = [name for name in sources if getattr(entry, name) is not None]
    if len(given) != 1:
        raise file.error(where, f"needs exactly one of {', '.join(sources)}")
    if entry.path is not None and not entry.path.is_dir():
        raise file.error((*where, "path"), f"no folder {entry.path}; check the path")
    pro = entry.swebench_pro
    if pro is not None and not pro.scripts.is_dir():
        raise file.error((*where, "swebench_pro", "scripts"), f"no folder {pro.scripts}")
    if entry.image is not None and "{image}" not in entry.image and len(entry.ids or ()) != 1:
        raise file.error((*where, "image"), "names one image for all; write {image} in it")
    rows = None if pro is None else pro.rows
    files: tuple[Path | None, ...] = (entry.swebench, rows, entry.completions, entry.ids_file)
    for path in files:
        if path is not None and not path.is_file():
            raise file.error(where, f"no file {path}; check the path")


def _check_conditions(file: YamlFile, settings: StudySettings) -> None:
    where = ("conditions",)
    if not settings.conditions:
        raise file.error(where, "is empty; the paper's are [baseline, perturbed]")
    for index, name in enumerate(settings.conditions):
        try:
            Condition.parse(name)
        except ValueError:
            kinds = [kind.value for kind in ConditionKind]
            raise file.error(
                (*where, index), f"{name!r} is no condition{nearest(name, kinds)}"
            ) from None
        _, dot, label = name.partition(".")
        if dot and not _NAME.fullmatch(label):
            raise file.error(
                (*where, index),
                f"{label!r} is no label; use letters, digits, '.', '_' and '-' (perturbed.b)",
            )
    if len(set(settings.conditions)) != len(settings.conditions):
        raise file.error(where, "names one condition twice; give the second a label (perturbed.b)")


def _check_sampler(file: YamlFile, settings: StudySettings) -> None:
    sampler = settings.sampler
    where = ("sampler", "transformations")
    if sampler.transformations != "all":
        for index, name in enumerate(sampler.transformations):
            if name not in TRANSFORMATION_NAMES and ":" not in name:
                raise file.error(
                    (*where, index),
                    f"unknown transformation {name!r}{nearest(name, TRANSFORMATION_NAMES)}"
                    " (names of your own hold a colon, as in mine:renamer)",
                )
        if len(set(sampler.transformations)) != len(sampler.transformations):
            raise file.error(where, "names a transformation twice; remove one")
    keywords = sampler.keywords
    if keywords.source == "model" and keywords.model is None and settings.model is None:
        raise file.error(
            ("sampler", "keywords"),
            "names no model to ask; write {source: model, model: NAME} or a model: block",
        )
    if sampler.preset is not None and sampler.transformations != "all":
        raise file.error(("sampler", "preset"), "fixes the pool itself; remove transformations")
    pool = _pool_size(sampler)
    if sampler.n_transformations > pool:
        raise file.error(
            ("sampler", "n_transformations"),
            f"{sampler.n_transformations} cannot be drawn from a pool of {pool}; lower it",
        )
    if settings.runs % sampler.runs_per_variant:
        raise file.error(
            ("sampler", "runs_per_variant"),
            f"runs: {settings.runs} is no multiple of {sampler.runs_per_variant}; change one",
        )


def _pool_size(sampler: SamplerSettings) -> int:
    if sampler.preset == "artifact":
        return len(ARTIFACT_PRESET)
    if sampler.transformations == "all":
        return len(TRANSFORMATION_NAMES)
    return len(sampler.transformations)


def _check_staged(file: YamlFile, settings: StudySettings) -> None:
    fewest = 4 * settings.sampler.runs_per_variant
    if settings.runs < fewest:
        raise file.error(
            ("session", "staged"), f"needs runs: {fewest} at least, two stages of two variants"
        )
    for index, gate in enumerate(settings.gates):
        if gate.metric in _PLANNED_RUNS:
            raise file.error(
                ("gates", index, "metric"),
                f"{gate.metric.value} needs runs that were planned before any was seen; remove it"
                " or session.staged",
            )


def _check_gate(file: YamlFile, index: int, gate: GateSettings) -> None:
    where = ("gates", index)
    percent = gate.metric in _PERCENT_METRICS
    needed, other = ("margin_pct", "margin_pp") if percent else ("margin_pp", "margin_pct")
    if getattr(gate, other) is not None:
        raise file.error((*where, other), f"{gate.metric.value} takes {needed}, not {other}")
    margin = getattr(gate, needed)
    if margin is None:
        raise file.error(where, f"{gate.metric.value} needs {needed}; write the margin")
    if margin < 0:
        raise file.error((*where, needed), f"{margin:g} is negative; a margin is 0 or more")
