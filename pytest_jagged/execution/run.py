"""One run: attempts until it is measured, then one record."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from pytest_jagged import __version__
from pytest_jagged.contracts.agent import Agent, Exit
from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.evaluation import Evaluator, Grade, Outcome, Patch, TestStatus
from pytest_jagged.contracts.metering import Fault
from pytest_jagged.contracts.record import (
    Artifacts,
    Attempt,
    PatchSummary,
    RecordStore,
    RunRecord,
    TestsSummary,
    VariantSummary,
)
from pytest_jagged.contracts.variant import CertifiedVariant, SiteStatus
from pytest_jagged.execution.attempt import AttemptResult, RunContext, attempt_run
from pytest_jagged.execution.run_warnings import run_warnings
from pytest_jagged.execution.service_watch import ServiceWatch

__all__ = [
    "GRADER",
    "RunLabels",
    "record_versions",
    "run_case",
    "summarise_tests",
    "summarise_variant",
    "unmeasured_record",
]

GRADER = "grader"  # in a record's versions: the identity of what graded it, as JSON

_PASSING = frozenset({TestStatus.PASSED, TestStatus.XFAILED, TestStatus.XPASSED})
_BACK_OFF_EXITS = frozenset({Exit.RATE_LIMIT, Exit.PROVIDER_ERROR})


@dataclass(frozen=True, slots=True)
class RunLabels:
    """What a record says of its study beside the measurement itself."""

    study: str
    key: str
    model: str | None
    attempts: int


def run_case(
    case: Case,
    context: RunContext,
    certified: CertifiedVariant | None,
    labels: RunLabels,
    store: RecordStore,
    watch: ServiceWatch,
    *,
    again: bool = False,
) -> RunRecord:
    """Run *case* to a measured outcome or to the last attempt, and store the record.

    Infrastructure and grading trouble is retried in a fresh environment; a crash of the agent once,
    and then it counts (code that crashes a scaffold must not drop out of the rate). A run that met
    a quota that is used up is made again as often as *watch* says; that is no attempt.
    """
    earlier: list[Attempt] = []
    pauses = 0
    while True:
        watch.wait()
        private = Path(tempfile.mkdtemp(prefix="run-"))
        try:
            result = attempt_run(context, private)
            if _met_quota(result):
                goes_on = watch.quota_pauses(result.detail)
                pauses += goes_on
            else:
                _tell(watch, result)
                goes_on = _try_again(result, earlier, labels.attempts + pauses)
            if goes_on:
                earlier.append(_as_attempt(result, len(earlier) + 1))
                continue
            record = _record(case, context, certified, labels, result, tuple(earlier))
            store.save(record, _artifacts(result, private), replace_measured=again)
            return record
        finally:
            shutil.rmtree(private, ignore_errors=True)


def unmeasured_record(
    case: Case,
    outcome: Outcome,
    detail: str,
    *,
    study: str,
    key: str,
    agent: Agent,
    model: str | None,
    certified: CertifiedVariant | None,
) -> RunRecord:
    """A record of a run that nothing can be said about but why."""
    return RunRecord(
        key=key,
        study=study,
        case=case,
        outcome=outcome,
        exit=None,
        detail=detail,
        agent=agent.name,
        agent_version=str(agent.identity().get("version", "")),
        model=model,
        variant=None if certified is None else summarise_variant(certified),
        finished_at=_now(),
        versions=record_versions(),
    )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def record_versions(evaluator: Evaluator | None = None) -> dict[str, str]:
    found = {"pytest-jagged": __version__, "python": platform.python_version()}
    if evaluator is not None:
        found[GRADER] = json.dumps(dict(evaluator.identity()), sort_keys=True)
    return found


def _try_again(result: AttemptResult, earlier: list[Attempt], attempts: int) -> bool:
    if result.outcome.is_error:
        return len(earlier) + 1 < attempts
    crashed = result.agent is not None and result.agent.exit is Exit.CRASH
    unsolved = result.outcome is not Outcome.RESOLVED
    return crashed and unsolved and not any(a.exit is Exit.CRASH for a in earlier) and attempts > 1


def _as_attempt(result: AttemptResult, number: int) -> Attempt:
    agent = result.agent
    return Attempt(
        number=number,
        exit=None if agent is None else agent.exit,
        outcome=result.outcome,
        detail=result.detail,
        cost_usd=result.cost_usd,
    )


def _met_quota(result: AttemptResult) -> bool:
    metering = result.metering
    is_met = metering is not None and metering.last_fault is Fault.QUOTA
    return is_met and result.outcome.is_error


def _tell(watch: ServiceWatch, result: AttemptResult) -> None:
    """Trouble of the machine says nothing of the service."""
    if result.agent is None:
        return
    if result.agent.exit in _BACK_OFF_EXITS:
        watch.failed(result.metering)
    else:
        watch.answered()


def _record(
    case: Case,
    context: RunContext,
    certified: CertifiedVariant | None,
    labels: RunLabels,
    result: AttemptResult,
    attempts: tuple[Attempt, ...],
) -> RunRecord:
    agent = result.agent
    return RunRecord(
        key=labels.key,
        study=labels.study,
        case=case,
        outcome=result.outcome,
        exit=None if agent is None else agent.exit,
        detail=result.detail,
        agent=context.agent.name,
        agent_version=str(context.agent.identity().get("version", "")),
        model=labels.model,
        isolation=result.isolation,
        steps=None if agent is None else agent.steps,
        tokens=None if agent is None else agent.tokens,
        cost_usd=result.cost_usd,
        cost_reported_usd=None if agent is None else agent.cost_reported_usd,
        metering=result.metering,
        attempts=attempts,
        timing=result.timing,
        patch=None if result.patch is None else _summarise_patch(result.patch),
        tests=None if result.grade is None else summarise_tests(result.grade),
        variant=None if certified is None else summarise_variant(certified),
        warnings=run_warnings(result, uses_model=context.agent.uses_model),
        finished_at=_now(),
        versions=record_versions(context.evaluator),
    )


def _summarise_patch(patch: Patch) -> PatchSummary:
    return PatchSummary(
        digest=hashlib.sha256(patch.diff).hexdigest(),
        files=tuple(file.path for file in patch.files),
        added=sum(file.added for file in patch.files),
        removed=sum(file.removed for file in patch.files),
        dropped_tests=patch.dropped_tests,
        touched_test_config=patch.touched_test_config,
        ignored_new=patch.ignored_new,
    )


def summarise_tests(grade: Grade) -> TestsSummary:
    passed = sum(status in _PASSING for status in grade.tests.values())
    return TestsSummary(
        passed=passed,
        failed=len(grade.tests) - passed,
        failed_fail_to_pass=grade.failed_fail_to_pass,
        failed_pass_to_pass=grade.failed_pass_to_pass,
        missing=grade.missing,
    )


def summarise_variant(certified: CertifiedVariant) -> VariantSummary:
    """The part of a certificate that a report needs, so that records stand alone."""
    certificate, variant = certified.certificate, certified.variant
    applied = [s for s in variant.sites if s.status is SiteStatus.APPLIED] if variant else []
    return VariantSummary(
        key=certificate.key,
        transformations=variant.transformations if variant else (),
        sites=dict(sorted(Counter(site.transformation for site in applied).items())),
        unchanged=certificate.unchanged,
        gold_unchanged=certificate.gold_unchanged,
        gold_solves=certificate.gold_solves.value,
        lines_share=_share(certificate.lines_changed, certificate.lines_total),
        gold_lines_share=_share(certificate.gold_lines_changed, certificate.gold_lines_total),
        changed_files=tuple(edit.path for edit in variant.edits) if variant else (),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _artifacts(result: AttemptResult, private: Path) -> Artifacts:
    folder = private / "artifacts"
    return Artifacts(
        patch=None if result.patch is None else result.patch.diff,
        trajectory=None if result.agent is None else result.agent.trajectory,
        tests=result.tests,
        test_log=None if result.grade is None else result.grade.log,
        files=folder if folder.is_dir() else None,
    )
