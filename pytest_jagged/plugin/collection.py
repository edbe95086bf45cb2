"""Items: a study file gives instances, an instance gives certificates and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.settings import LimitSettings, StudySettings
from pytest_jagged.plugin.session import JaggedSession, OpenStudy, certificate_name

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet  # what pytest.param gives has no public name

__all__ = [
    "PARAMETER",
    "CertificateItem",
    "RunItem",
    "StudyFile",
    "case_of",
    "in_plan_order",
    "parameter_of",
    "with_needed_certificates",
]

# The parameter of a user's own test that asks for runs.
PARAMETER = "jagged_parameter"
_CASE = pytest.StashKey[tuple[OpenStudy, Case]]()


def case_of(item: pytest.Item) -> tuple[OpenStudy, Case] | None:
    """The run that an item makes or, as a user's own test, asks for."""
    if _CASE in item.stash:
        return item.stash[_CASE]
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get(PARAMETER)


def parameter_of(opened: OpenStudy, case: Case, *, name_study: bool) -> ParameterSet:
    """A run as the parameter of a user's own test; selected by the same marks as its item."""
    words = [case.instance_id, case.condition.name, case.index_name]
    if name_study:
        words.insert(0, opened.study.name)
    return pytest.param((opened, case), id="-".join(words), marks=_mark(case))


def _mark(case: Case) -> pytest.MarkDecorator:
    """What `-m "jagged(condition='perturbed')"` selects by."""
    return pytest.mark.jagged(
        instance=case.instance_id, condition=case.condition.name, run=case.ordinal
    )


def _measure(jagged_run: object) -> None:
    """A run is a measurement: whatever it measured, the item passes."""


def _certify(jagged_certificate: object) -> None:
    """The fixture draws and proves the variant, under a lock."""


class _OwnItem(pytest.Function):
    """A Function (fixtures, marks, -k all work) that is not at home in a Python module."""

    opened: OpenStudy
    label: str

    def reportinfo(self) -> tuple[Path, int, str]:
        # A skip needs a line; no dots of paths in the third field, pytest would make them `::`.
        return self.opened.path, 0, self.label

    def limit(self, seconds: Callable[[LimitSettings], float]) -> None:
        """A project's time limit per test is not meant for runs, which keep limits of their own."""
        if self.config.pluginmanager.hasplugin("timeout"):
            limits = self.opened.study.settings.limits
            self.add_marker(pytest.mark.timeout(1.2 * seconds(limits)))


class RunItem(_OwnItem):
    """One run: (instance, condition, run index)."""

    @classmethod
    def make(cls, parent: pytest.Collector, opened: OpenStudy, case: Case) -> RunItem:
        item = cls.from_parent(parent, name=case.item_name, callobj=_measure)
        assert isinstance(item, cls)
        item.opened, item.label = opened, f"{case.instance_id} {case.item_name}"
        item.stash[_CASE] = opened, case
        item.add_marker(_mark(case))
        item.extra_keyword_matches.update(_keywords(opened.study.settings))
        item.limit(_run_s)
        return item


class CertificateItem(_OwnItem):
    """The proof of one variant, made before the runs that need it."""

    instance_id: str
    index: int

    @classmethod
    def make(
        cls, parent: pytest.Collector, opened: OpenStudy, instance_id: str, index: int
    ) -> CertificateItem:
        item = cls.from_parent(parent, name=certificate_name(index), callobj=_certify)
        assert isinstance(item, cls)
        item.opened, item.instance_id, item.index = opened, instance_id, index
        item.label = f"{instance_id} {item.name}"
        item.limit(_certification_s)
        return item


class _InstanceNode(pytest.Collector):
    opened: OpenStudy
    cases: list[Case]

    def collect(self) -> Iterator[pytest.Item]:
        for index in self.opened.variant_indices(self.name):
            yield CertificateItem.make(self, self.opened, self.name, index)
        for case in self.cases:
            yield RunItem.make(self, self.opened, case)


class StudyFile(pytest.File):
    """The study's YAML; it has been read already."""

    opened: OpenStudy

    @classmethod
    def make(cls, parent: pytest.Collector, opened: OpenStudy, path: Path) -> StudyFile:
        """*path* is the study's as the user named it, perhaps over a link."""
        node = cls.from_parent(parent, path=path, nodeid=opened.node_id)
        node.opened = opened
        return node

    def collect(self) -> Iterator[pytest.Collector]:
        by_instance: dict[str, list[Case]] = {}
        for case in self.opened.study.cases:
            by_instance.setdefault(case.instance_id, []).append(case)
        for instance_id, cases in by_instance.items():
            node = _InstanceNode.from_parent(self, name=instance_id)
            node.opened, node.cases = self.opened, cases
            yield node


def _keywords(settings: StudySettings) -> set[str]:
    """For -k, beside what the item's name and its file's name say."""
    model = () if settings.model is None else (settings.model.name,)
    return {settings.name, settings.agent.name, *model}


def _run_s(limits: LimitSettings) -> float:
    """A run at its slowest, which also certifies its variant or waits for who does."""
    attempt = limits.create_s + limits.wall_s + limits.test_s
    return limits.attempts * attempt + _certification_s(limits)


def _certification_s(limits: LimitSettings) -> float:
    """The suites of the seed and of each draw, with and without the gold patch."""
    from pytest_jagged.sampling.certificate import MAX_REDRAWS

    return 2 * (2 + MAX_REDRAWS) * (limits.create_s + limits.test_s)


def in_plan_order(items: list[pytest.Item], session: JaggedSession) -> list[pytest.Item]:
    """Certificates, the runs of each study as planned, then a user's own tests as they stand."""
    order = {
        opened.item_id(case): (number, position)
        for number, opened in enumerate(session.studies)
        for position, case in enumerate(opened.study.cases)
    }
    certificates = [item for item in items if isinstance(item, CertificateItem)]
    runs = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])
    others = [i for i in items if i.nodeid not in order and not isinstance(i, CertificateItem)]
    return [*certificates, *runs, *others]


def with_needed_certificates(
    items: list[pytest.Item], certificates: list[CertificateItem]
) -> list[pytest.Item]:
    """*items* with exactly the certificates its runs need, in the order of first need.

    Certificates that were selected without any run stay: they prepare a study.
    """
    by_need = {(c.opened.node_id, c.instance_id, c.index): c for c in certificates}
    cases = [found for item in items if (found := case_of(item)) is not None]
    if not cases:
        return items
    needed: dict[pytest.Item, None] = {}
    for opened, case in cases:
        certificate = by_need.get((opened.node_id, case.instance_id, case.index))
        if certificate is not None and case.condition.kind is ConditionKind.PERTURBED:
            needed[certificate] = None
    return [*needed, *(item for item in items if not isinstance(item, CertificateItem))]
