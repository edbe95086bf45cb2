"""The state of a pytest session that runs studies."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.execution.study import Study

if TYPE_CHECKING:
    from pytest_jagged.reporting.comparison import EarlierReport
    from pytest_jagged.reporting.report import Report

__all__ = ["SESSION", "JaggedSession", "OpenStudy", "certificate_name", "names_of"]

SESSION = pytest.StashKey["JaggedSession"]()


def certificate_name(index: int) -> str:
    return f"certificate[v{index:02d}]"


def names_of(case: Case) -> tuple[str, str, str]:
    """What a user may call a run, or all runs of its instance."""
    return case.instance_id, f"{case.instance_id}::{case.item_name}", case.item_name


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study, the node id of its file, the options that its runs were asked for with, and the
    report it is to be compared with.
    """

    node_id: str
    path: Path
    study: Study
    options: tuple[str, ...] = ()
    earlier: EarlierReport | None = None

    def item_id(self, case: Case) -> str:
        return f"{self.node_id}::{case.instance_id}::{case.item_name}"

    def reproduce(self, case: Case) -> str:
        """The command that runs this case alone, in path form."""
        target = f"{self.path}::{case.instance_id}::{case.item_name}"
        words = ("pytest", f"--jagged-config={self.path}", *self.options, target)
        return f"reproduce: {shlex.join(words)}"

    def variant_indices(self, instance_id: str) -> list[int]:
        """Indices of the variants that runs of this instance need, each once."""
        return sorted(
            {
                case.index
                for case in self.study.cases
                if case.instance_id == instance_id
                and case.condition.kind is ConditionKind.PERTURBED
            }
        )


@dataclass(slots=True)
class JaggedSession:
    """`selected` holds the item ids that are run, or None before collection.

    A *dry* session only shows (--collect-only and its like): it fetches, locks and writes nothing.
    `resources` keeps the store locks until the session ends; `reports_made` is filled when all runs
    are over.
    """

    studies: tuple[OpenStudy, ...]
    reports: Path
    started: float
    gates_wanted: bool
    is_worker: bool = False
    dry: bool = False
    rerun: str | None = None
    selected: set[str] | None = None
    requeued: set[str] = field(default_factory=set)
    reports_made: list[tuple[OpenStudy, Report]] = field(default_factory=list)
    resources: ExitStack = field(default_factory=ExitStack)

    def find(self, item_id: str) -> tuple[OpenStudy, Case] | None:
        """The study and case of a node id; None for items that are not runs."""
        for opened in self.studies:
            if item_id.startswith(opened.node_id + "::"):
                for case in opened.study.cases:
                    if opened.item_id(case) == item_id:
                        return opened, case
        return None

    def selected_cases(self, opened: OpenStudy) -> Sequence[Case]:
        cases = opened.study.cases
        if self.selected is None:
            return cases
        return [case for case in cases if opened.item_id(case) in self.selected]

    def is_subset(self, opened: OpenStudy) -> bool:
        return len(self.selected_cases(opened)) < len(opened.study.cases)

    def select(self, item_ids: Iterable[str]) -> None:
        """These are run as well."""
        self.selected = self.selected or set()
        self.selected.update(item_ids)

    def made(self, record: RunRecord) -> bool:
        """Whether *record* is of this session, by whichever of its processes."""
        when = record.finished_at
        return when != "" and datetime.fromisoformat(when).timestamp() >= self.started

    @property
    def rerun_words(self) -> tuple[str, ...]:
        """What is to be run again by name; errors (`infra`) are run again anyway."""
        words = [word.strip() for word in (self.rerun or "").split(",")]
        return tuple(word for word in words if word not in ("", "infra"))

    def wants_rerun(self, case: Case) -> bool:
        """Whether `--jagged-rerun` names this case, by instance or by item."""
        return any(word in names_of(case) for word in self.rerun_words)
