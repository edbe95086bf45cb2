"""A sampled variant of a seed repository, and its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pytest_jagged.contracts.instance import FileEdit

__all__ = [
    "Certificate",
    "CertifiedVariant",
    "GoldSolves",
    "RejectedDraw",
    "SiteRecord",
    "SiteStatus",
    "SkippedStep",
    "Variant",
]


class SiteStatus(str, Enum):
    APPLIED = "applied"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What became of one selected site; the position refers to the text before that step."""

    step: int
    transformation: str
    target: str | None
    path: str
    line: int
    column: int
    end_line: int
    rule: str
    status: SiteStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SkippedStep:
    """A step that was left undone as a whole (`path` None) or on one included file, and why."""

    step: int
    transformation: str
    target: str | None
    path: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Variant:
    """The sampler's output for one (instance, index): Algorithm 1, one pass of the outer loop.

    `edits` hold only files whose bytes differ from the seed. `draw` counts redraws of the index
    from 0. `transformations` are the drawn names in order, whether or not they found a site, and
    `file_probabilities` their p_file. A step is one bound pair of Algorithm 2, counted from 1.
    """

    instance_id: str
    index: int
    draw: int
    seed: int
    transformations: tuple[str, ...]
    edits: tuple[FileEdit, ...]
    sites: tuple[SiteRecord, ...]
    skipped: tuple[SkippedStep, ...] = ()
    file_probabilities: tuple[float, ...] = ()

    @property
    def unchanged(self) -> bool:
        return not self.edits

    def changes_any(self, paths: tuple[str, ...]) -> bool:
        return any(edit.path in paths for edit in self.edits)


class GoldSolves(str, Enum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RejectedDraw:
    """A draw that did not keep the behaviour: our fault, listed and replaced."""

    draw: int
    reason: str
    transformations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was changed in a variant, and the proof that behaviour stayed.

    `key` is the digest of all that decides the variant (seed, instance, index, sampler settings,
    keywords, package version, Python minor). `certified` False: no draw of the index held.
    Lines count in the variant's source files; changed are those the seed's file does not have.
    `flaky` tests gave two results on equal trees and were not compared.
    """

    key: str
    instance_id: str
    index: int
    certified: bool
    rejected: tuple[RejectedDraw, ...]
    compiled_files: int
    tests_compared: int
    unchanged: bool
    gold_unchanged: bool
    gold_solves: GoldSolves
    lines_changed: int
    lines_total: int
    gold_lines_changed: int = 0
    gold_lines_total: int = 0
    flaky: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CertifiedVariant:
    """The certificate and, where one draw held, the variant it speaks of."""

    certificate: Certificate
    variant: Variant | None
