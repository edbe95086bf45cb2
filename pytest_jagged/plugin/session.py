"""The state of a pytest session that runs studies."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.execution.study import Study

if TYPE_CHECKING:
    from pytest_jagged.reporting.report import Report

__all__ = ["SESSION", "JaggedSession", "OpenStudy", "certificate_name"]

SESSION = pytest.StashKey["JaggedSession"]()


def certificate_name(index: int) -> str:
    return f"certificate[v{index:02d}]"


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study and the node id of its file."""

    node_id: str
    path: Path
    study: Study

    def item_id(self, case: Case) -> str:
        return f"{self.node_id}::{case.instance_id}::{case.item_name}"

    def reproduce(self, case: Case) -> str:
        """The command that runs this case alone, in path form."""
        target = f"{self.path}::{case.instance_id}::{case.item_name}"
        return f"reproduce: pytest --jagged-config={self.path} '{target}'"

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

    `resources` keeps the store locks until the session ends; `reports_made` is filled when all runs
    are over.
    """

    studies: tuple[OpenStudy, ...]
    reports: Path
    started: float
    gates_wanted: bool
    is_worker: bool = False
    rerun: str | None = None
    selected: frozenset[str] | None = None
    requeued: set[str] = field(default_factory=set)
    reused: int = 0
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

    def wants_rerun(self, case: Case) -> bool:
        """Whether `--jagged-rerun` names this case, by instance or by item."""
        if self.rerun in (None, "infra"):
            return False
        names = (case.instance_id, f"{case.instance_id}::{case.item_name}", case.item_name)
        assert self.rerun is not None
        return any(word.strip() in names for word in self.rerun.split(","))
