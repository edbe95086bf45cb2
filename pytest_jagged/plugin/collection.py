"""Items: a study file gives instances, an instance gives certificates and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_jagged.contracts.case import Case
from pytest_jagged.plugin.session import JaggedSession, OpenStudy, certificate_name

__all__ = ["CASE", "CertificateItem", "RunItem", "StudyFile", "arrange", "needed_certificates"]

# What a run's fixtures read from its item.
CASE = pytest.StashKey[tuple[OpenStudy, Case]]()


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


class RunItem(_OwnItem):
    """One run: (instance, condition, run index)."""

    @classmethod
    def make(cls, parent: pytest.Collector, opened: OpenStudy, case: Case) -> RunItem:
        item = cls.from_parent(parent, name=case.item_name, callobj=_measure)
        assert isinstance(item, cls)
        item.opened, item.label = opened, f"{case.instance_id} {case.item_name}"
        item.stash[CASE] = opened, case
        item.add_marker(
            pytest.mark.jagged(
                instance=case.instance_id, condition=case.condition.name, run=case.ordinal
            )
        )
        if item.config.pluginmanager.hasplugin("timeout"):
            limits = opened.study.settings.limits
            seconds = 1.2 * limits.attempts * (limits.wall_s + 2 * limits.test_s)
            item.add_marker(pytest.mark.timeout(seconds))
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
    def make(cls, parent: pytest.Collector, opened: OpenStudy) -> StudyFile:
        node = cls.from_parent(parent, path=opened.path, nodeid=opened.node_id)
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


def arrange(items: list[pytest.Item], session: JaggedSession) -> list[CertificateItem]:
    """Bring the runs into the plan's order and take the certificates out of *items*.

    They are put back by `needed_certificates` once `-k`, `-m` and others have chosen the runs.
    """
    order = {
        opened.item_id(case): (number, position)
        for number, opened in enumerate(session.studies)
        for position, case in enumerate(opened.study.cases)
    }
    certificates = [item for item in items if isinstance(item, CertificateItem)]
    runs = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])
    others = [i for i in items if i.nodeid not in order and not isinstance(i, CertificateItem)]
    items[:] = [*runs, *others]
    return certificates


def needed_certificates(
    items: list[pytest.Item], certificates: list[CertificateItem]
) -> list[CertificateItem]:
    """Those that a chosen run needs, in the order of first need."""
    by_need = {(c.opened.node_id, c.instance_id, c.index): c for c in certificates}
    needed: dict[CertificateItem, None] = {}
    for item in items:
        if isinstance(item, RunItem):
            opened, case = item.stash[CASE]
            certificate = by_need.get((opened.node_id, case.instance_id, case.index))
            if certificate is not None and case.condition.kind.value == "perturbed":
                needed[certificate] = None
    return list(needed)
