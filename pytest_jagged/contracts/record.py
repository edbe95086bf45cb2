"""One run as one JSON document: the only thing statistics and reports are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_jagged.contracts.agent import Exit, Tokens
from pytest_jagged.contracts.case import Case, Condition
from pytest_jagged.contracts.evaluation import Outcome, TestStatus
from pytest_jagged.contracts.metering import Metering

__all__ = [
    "SCHEMA_VERSION",
    "Artifacts",
    "Attempt",
    "PatchSummary",
    "RecordStore",
    "RunRecord",
    "TestsSummary",
    "Timing",
    "VariantSummary",
]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try that infrastructure trouble ended; kept, never pooled."""

    number: int
    exit: Exit | None
    outcome: Outcome
    detail: str
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of wall time; `own_s` is what the harness itself took beside agent and tests."""

    agent_s: float = 0.0
    grade_s: float = 0.0
    own_s: float = 0.0
    total_s: float = 0.0


@dataclass(frozen=True, slots=True)
class PatchSummary:
    digest: str
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    dropped_tests: tuple[str, ...] = ()
    touched_test_config: tuple[str, ...] = ()
    ignored_new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestsSummary:
    __test__ = False  # pytest: this is no test class
    passed: int = 0
    failed: int = 0
    failed_fail_to_pass: tuple[str, ...] = ()
    failed_pass_to_pass: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """What the report needs of a variant without opening its certificate.

    `lines_share` and `gold_lines_share` are the dose: changed over all source lines, 0..1.
    `sites` counts applied sites by transformation name.
    """

    key: str
    transformations: tuple[str, ...]
    sites: Mapping[str, int]
    unchanged: bool
    gold_unchanged: bool
    gold_solves: str
    lines_share: float
    gold_lines_share: float
    changed_files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """All of one run. None is unknown, never zero. Plain JSON by `records.codec`.

    Steps, tokens and `cost_usd` are the meter's where the model was metered, else the agent's own;
    `cost_reported_usd` is what a metered agent said beside.
    """

    key: str
    study: str
    case: Case
    outcome: Outcome
    exit: Exit | None
    detail: str = ""
    agent: str = ""
    agent_version: str = ""
    model: str | None = None
    isolation: str = "none"
    steps: int | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    cost_reported_usd: float | None = None
    metering: Metering | None = None
    attempts: tuple[Attempt, ...] = ()
    timing: Timing = Timing()
    patch: PatchSummary | None = None
    tests: TestsSummary | None = None
    variant: VariantSummary | None = None
    warnings: tuple[str, ...] = ()
    finished_at: str = ""  # UTC, ISO 8601; never part of a statistic
    versions: Mapping[str, str] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION

    @property
    def condition(self) -> Condition:
        return self.case.condition

    @property
    def resolved(self) -> bool:
        return self.outcome is Outcome.RESOLVED


@dataclass(frozen=True, slots=True)
class Artifacts:
    """Files kept beside record.json: patch.diff, trajectory.json, tests.json, agent.log."""

    patch: bytes | None = None
    trajectory: Any = None
    tests: Mapping[str, TestStatus] | None = None
    test_log: bytes | None = None
    files: Path | None = None  # a folder whose content is moved beside the record


class RecordStore(Protocol):
    """Where finished runs live; a record is there whole or not at all."""

    root: Path

    def find(self, case: Case, key: str) -> RunRecord | None:
        """The stored record of exactly this key, errors included."""
        ...

    def save(
        self, record: RunRecord, artifacts: Artifacts, *, replace_measured: bool = False
    ) -> Path:
        """Write atomically (temp file, fsync, rename); an older error record becomes an attempt."""
        ...

    def replace_verdict(self, earlier: RunRecord, record: RunRecord, artifacts: Artifacts) -> Path:
        """Put the same run, graded again, in place of *earlier*, which is kept beside it."""
        ...

    def artifacts(self, record: RunRecord) -> Path:
        """The folder with what was kept beside *record*."""
        ...

    def records(self) -> Iterator[RunRecord]:
        """All records in a stable order; raises StoreError naming an unreadable file."""
        ...
