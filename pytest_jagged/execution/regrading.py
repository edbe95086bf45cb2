"""Grade the patches of a store again, without their agents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_jagged.config import settings_from_json
from pytest_jagged.contracts.evaluation import Outcome, Patch, PatchedFile
from pytest_jagged.contracts.instance import Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.record import Artifacts, RunRecord
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.errors import ConfigError, InfrastructureError, StoreError
from pytest_jagged.evaluation.outcome import decide
from pytest_jagged.execution.description import describe_study
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.identity import case_key
from pytest_jagged.execution.run import GRADER, record_versions, summarise_tests
from pytest_jagged.execution.study import Study
from pytest_jagged.reporting.study_file import read_study_file
from pytest_jagged.sampling.variant import VariantStore

__all__ = ["Regraded", "open_stored_study", "regrade_study"]

Progress = Callable[[str], None]

_SWEBENCH = "swebench:"


@dataclass(frozen=True, slots=True)
class Regraded:
    """`now` is None where the run could not be graded; `detail` then says why."""

    instance_id: str
    item: str
    before: Outcome
    now: Outcome | None
    detail: str = ""

    @property
    def changed(self) -> bool:
        return self.now is not None and self.now is not self.before


def open_stored_study(root: Path, extensions: Extensions | None = None) -> Study:
    """The study whose folder *root* is, with the settings that it was run with.

    Raises:
        StoreError: no study's folder, or renamed since.
        ConfigError: what the settings name is not there any more.
    """
    settings = settings_from_json(read_study_file(root / "study.json").settings)
    if settings.session.staged:
        raise ConfigError(
            f"{root}: holds a staged study, whose later stages follow from the verdicts that it"
            " has; they must stay"
        )
    folder = root.resolve()
    if folder.name != settings.name:
        raise StoreError(f"{root}: holds study {settings.name!r}; rename the folder back to that")
    return Study.open(settings, folder.parent, extensions=extensions)


def regrade_study(
    study: Study, progress: Progress, *, swebench_parsers: bool = False
) -> Iterator[Regraded]:
    """Grade every stored patch once more, and keep the new verdict beside the earlier one.

    Records of an earlier grader become records of this one, if nothing but the grader differs. With
    *swebench_parsers* logs are read by swebench's own parsers, and nothing is stored.
    """
    moved = False
    outcome: Outcome | None
    for record in list(study.store.records()):
        if not _is_graded(study, record):
            continue
        found = _regrade(study, record, swebench_parsers)
        if isinstance(found, RunRecord):
            moved |= found.key != record.key
            outcome, detail = found.outcome, found.detail
        else:
            outcome, detail = None, found
        case = record.case
        progress(f"{case.instance_id}::{case.item_name}: {outcome.value if outcome else detail}")
        yield Regraded(case.instance_id, case.item_name, record.outcome, outcome, detail)
    if moved and not swebench_parsers:
        describe_study(study)


def _is_graded(study: Study, record: RunRecord) -> bool:
    """Whether the grader decides its outcome, and not that the patch is empty, that the model's
    service failed, or that a limit stopped it (`grade_on_limit: false`).
    """
    if record.patch is None or not record.patch.files or record.exit is None:
        return False
    if record.exit.is_limit:
        return study.settings.limits.grade_on_limit
    return not record.exit.is_infrastructure


def _regrade(study: Study, record: RunRecord, swebench_parsers: bool) -> RunRecord | str:
    """The record with its new verdict, stored; or why there is none."""
    if record.case.instance_id not in study.instance_ids:
        return "is no run of this study"
    assert record.exit is not None  # others are passed over
    instance = study.instance(record.case.instance_id)
    if not _differs_by_grader_only(study, record):
        return "was run with another instance, agent, variant or settings than the study has now"
    try:
        patch, variant = _stored_patch(study, record), _stored_variant(study, record)
        graded = _with_swebenchs_parser(instance) if swebench_parsers else instance
        grade = study.grader.grade(graded, variant, patch)
    except (StoreError, InfrastructureError) as error:
        return str(error)
    outcome, detail = decide(
        record.exit, patch, grade, grade_on_limit=study.settings.limits.grade_on_limit
    )
    again = replace(
        record,
        key=study.key(record.case),
        outcome=outcome,
        detail=detail,
        tests=summarise_tests(grade),
        warnings=(*record.warnings, f"graded again; was {record.outcome.value}"),
        versions={**record.versions, **record_versions(study.grader)},
    )
    if outcome.is_error:
        return detail
    if not swebench_parsers:
        artifacts = Artifacts(tests=grade.tests, test_log=grade.log)
        try:
            study.store.replace_verdict(record, again, artifacts)
        except StoreError as error:
            return str(error)
    return again


def _differs_by_grader_only(study: Study, record: RunRecord) -> bool:
    if study.key(record.case) == record.key:
        return True
    identity = record.versions.get(GRADER)
    return identity is not None and case_key(study, record.case, json.loads(identity)) == record.key


def _stored_patch(study: Study, record: RunRecord) -> Patch:
    summary = record.patch
    assert summary is not None  # others are passed over
    path = study.store.artifacts(record) / "patch.diff"
    try:
        diff = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    if hashlib.sha256(diff).hexdigest() != summary.digest:
        raise StoreError(f"{path}: was changed since it was recorded")
    files = tuple(PatchedFile(name, 0, 0) for name in summary.files)
    return Patch(diff, files, summary.dropped_tests, summary.touched_test_config)


def _stored_variant(study: Study, record: RunRecord) -> Variant | None:
    if record.variant is None:
        return None
    case = record.case
    certified = VariantStore(study.root).find(case.instance_id, case.index, record.variant.key)
    if certified is None or certified.variant is None:
        raise StoreError(f"variant v{case.index:02d} is not in {study.root / 'variants'} any more")
    return certified.variant


def _with_swebenchs_parser(instance: Instance) -> Instance:
    results = instance.results
    if results.mode is not ResultsMode.PARSER or (results.argument or "").startswith(_SWEBENCH):
        return instance
    return replace(
        instance, results=ResultsSource(ResultsMode.PARSER, f"{_SWEBENCH}{results.argument}")
    )
