"""A report from one store, or from the stores of a study's shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_jagged.config import settings_from_json
from pytest_jagged.contracts.case import Case
from pytest_jagged.errors import StoreError
from pytest_jagged.records import merge_records, open_store
from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.comparison import EarlierReport
from pytest_jagged.reporting.report import Report
from pytest_jagged.reporting.study_file import StudyFile, read_study_file
from pytest_jagged.staging import stage_count

__all__ = ["report_stores"]


def report_stores(roots: Sequence[Path], earlier: EarlierReport | None = None) -> Report:
    """Records alone decide; planned runs that no store has are `not_run`.

    Raises:
        ConfigError: *earlier* is of a study that cannot be compared with this one.
        StoreError: a folder without study.json, shards of different studies, contradicting records.
    """
    studies = [read_study_file(root / "study.json") for root in roots]
    first = studies[0]
    for root, study in zip(roots, studies, strict=True):
        if study.description.digest != first.description.digest:
            raise StoreError(f"{root}: holds another study than {roots[0]}; report them apart")
    keys = _planned(studies)
    records = merge_records(open_store(root).records() for root in roots)
    known = set(keys.values())
    settings = settings_from_json(first.settings)
    return build_report(
        first.description,
        tuple(keys),
        [record for record in records if record.key in known],
        settings.statistics,
        settings.gates,
        max_error_rate=settings.session.max_error_rate,
        not_of_this_study=sum(record.key not in known for record in records),
        earlier=earlier,
        stages=stage_count(settings),
    )


def _planned(studies: Sequence[StudyFile]) -> dict[Case, str]:
    keys: dict[Case, str] = {}
    for study in studies:
        keys.update(study.keys)
    return keys
