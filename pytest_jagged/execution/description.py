"""What a study says of itself on disk, and its report from the records of this plan."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

from pytest_jagged import __version__
from pytest_jagged.config import settings_to_json
from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.execution.pricing import prices_to_json
from pytest_jagged.execution.run_settings import run_settings
from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.comparison import EarlierReport, check_comparable
from pytest_jagged.reporting.report import Report, StudyDescription
from pytest_jagged.reporting.study_file import StudyFile, write_study_file
from pytest_jagged.staging import stage_count

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["check_earlier", "describe_study", "report_study"]

_PACKAGES = ("pytest", "pytest-xdist", "libcst", "astroid", "nltk", "numpy")
# Blocks that two agents or models must share for their degradations to be compared.
_COMPARED = ("seed", "conditions", "environment", "sampler", "limits", "completions")


def study_description(study: Study) -> StudyDescription:
    settings = study.settings
    return StudyDescription(
        name=study.name,
        scaffold=settings.agent.name,
        scaffold_version=study.agent().probe(),
        model=None if settings.model is None else settings.model.name,
        benchmark=_benchmark(settings),
        seed=settings.seed,
        runs=settings.runs,
        conditions=settings.conditions,
        isolation="none" if settings.environment.backend == "local" else "container",
        digest=_digest(study),
        versions=_versions(),
        comparable=_comparable(study),
        not_python=_not_python(study),
    )


def _benchmark(settings: StudySettings) -> str:
    kinds = {
        "native" if entry.path else "swebench" if entry.swebench else "swebench_pro"
        for entry in settings.instances
    }
    return "+".join(sorted(kinds))


def _not_python(study: Study) -> tuple[str, ...]:
    files = {name: study.instance(name).gold_files for name in study.instance_ids}
    return tuple(name for name, own in files.items() if not any(f.endswith(".py") for f in own))


def _digest(study: Study) -> str:
    settings = run_settings(settings_to_json(study.settings))
    settings["instances"] = [study.instance(i).digest for i in study.instance_ids]
    return json_digest(settings)


def _comparable(study: Study) -> Mapping[str, Any]:
    settings = run_settings(settings_to_json(study.settings))
    shared = {key: settings[key] for key in _COMPARED}
    staged = {"staged": True} if study.settings.session.staged else {}
    return {
        **shared,
        **staged,
        "instances": {i: study.instance(i).digest for i in study.instance_ids},
    }


def _versions() -> Mapping[str, str]:
    found = {"pytest-jagged": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def describe_study(study: Study) -> None:
    """Write study.json: settings, plan with keys, versions; enough to report without the YAML."""
    keys = {case: study.key(case) for case in study.cases}
    priced = study.priced_model
    prices = None if priced is None else prices_to_json(priced)
    file = StudyFile(study_description(study), keys, settings_to_json(study.settings), prices)
    host: dict[str, Any] = {"machine": platform.machine(), "system": platform.system()}
    write_study_file(study.root / "study.json", file, host)


def check_earlier(study: Study, earlier: EarlierReport) -> None:
    """Raises ConfigError naming what differs, before a run is paid for."""
    check_comparable(earlier, study_description(study))


def report_study(
    study: Study, cases: Sequence[Case] | None, earlier: EarlierReport | None
) -> Report:
    """Over the whole plan, or over *cases* of it; against *earlier*, if given."""
    settings = study.settings
    records = list(study.store.records())
    own = [r for r in records if _is_own(study, r.case, r.key)]
    return build_report(
        study_description(study),
        study.cases if cases is None else cases,
        own,
        settings.statistics,
        settings.gates,
        max_error_rate=settings.session.max_error_rate,
        subset=cases is not None,
        not_of_this_study=len(records) - len(own),
        earlier=earlier,
        stages=stage_count(settings),
    )


def _is_own(study: Study, case: Case, key: str) -> bool:
    """Whether a stored record is what this study would run as that case, within the plan or not."""
    known = case.instance_id in study.instance_ids
    return known and case.condition.name in study.settings.conditions and study.key(case) == key
