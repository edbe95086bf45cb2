"""Patches, per-test results and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.variant import Variant

__all__ = ["Evaluator", "Grade", "GradeStatus", "Outcome", "Patch", "PatchedFile", "TestStatus"]


class Outcome(str, Enum):
    """What a run counts as (design section 6); planned = sum over all of them."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    EMPTY_PATCH = "empty_patch"
    LIMIT_REACHED = "limit_reached"
    AGENT_FAILED = "agent_failed"
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    GRADING_ERROR = "grading_error"
    INVALID_VARIANT = "invalid_variant"
    SKIPPED_BUDGET = "skipped_budget"
    NOT_RUN = "not_run"

    @property
    def is_measured(self) -> bool:
        """Enters the resolve rate."""
        return self in _MEASURED

    @property
    def is_error(self) -> bool:
        return self in (Outcome.INFRASTRUCTURE_ERROR, Outcome.GRADING_ERROR)


_MEASURED = frozenset(
    {
        Outcome.RESOLVED,
        Outcome.UNRESOLVED,
        Outcome.EMPTY_PATCH,
        Outcome.LIMIT_REACHED,
        Outcome.AGENT_FAILED,
    }
)


class TestStatus(str, Enum):
    __test__ = False  # pytest: this is no test class
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


@dataclass(frozen=True, slots=True)
class PatchedFile:
    path: str
    added: int
    removed: int
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """The agent's tree difference without test files: `git diff --binary` against the base."""

    diff: bytes
    files: tuple[PatchedFile, ...] = ()
    dropped_tests: tuple[str, ...] = ()
    touched_test_config: tuple[str, ...] = ()
    ignored_new: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.files


class GradeStatus(str, Enum):
    """Whether grading itself worked; only GRADED says something about the patch."""

    GRADED = "graded"
    TIMED_OUT = "timed_out"
    NO_TESTS = "no_tests"
    NOT_APPLIED = "not_applied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Grade:
    """Per-test results of one patch. `missing` are required ids that never ran."""

    status: GradeStatus
    resolved: bool
    tests: Mapping[str, TestStatus] = field(default_factory=dict)
    failed_fail_to_pass: tuple[str, ...] = ()
    failed_pass_to_pass: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    detail: str = ""
    log: bytes = b""


class Evaluator(Protocol):
    """`identity` is part of the record key."""

    def identity(self) -> Mapping[str, str]: ...

    def grade(self, instance: Instance, variant: Variant | None, patch: Patch) -> Grade:
        """Grade in a fresh environment: seed, variant's files, patch, overlay, test command."""
        ...
