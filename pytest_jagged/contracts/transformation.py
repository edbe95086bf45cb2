"""The contract of a semantics-preserving transformation (SPT)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

__all__ = [
    "Candidates",
    "Rewritten",
    "Site",
    "SkippedSite",
    "SourceTree",
    "TransformResult",
    "Transformation",
]


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A place where a transformation applies: 1-based line, 0-based column, last line, rule."""

    line: int
    column: int
    end_line: int
    rule: str


@dataclass(frozen=True, slots=True)
class SkippedSite:
    """A place of the right shape that is left alone, and the condition that fails there."""

    site: Site
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The sites where the transformation will be done if selected, and those it refuses."""

    sites: tuple[Site, ...]
    skipped: tuple[SkippedSite, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text, and the selected sites that are in it (the others were swallowed)."""

    text: str
    sites: frozenset[Site]


@dataclass(frozen=True, slots=True)
class TransformResult:
    """The rewritten source (of the type given: str or bytes) and the account of its sites.

    `sites` were selected and rewritten; positions refer to the text given. `skipped` are sites of
    the right shape that were refused, and selected ones swallowed by another (reason `overlap`).
    """

    source: str | bytes
    sites: tuple[Site, ...]
    skipped: tuple[SkippedSite, ...]
    candidates: int

    @property
    def changed(self) -> bool:
        return bool(self.sites)


class SourceTree(Protocol):
    """The Python files of a repository, for conditions that one file cannot establish."""

    def paths(self) -> Sequence[str]:
        """All Python files, tests included, sorted, POSIX, relative to the tree."""
        ...

    def read(self, path: str) -> bytes: ...


@runtime_checkable
class Transformation(Protocol):
    """One SPT. A selected candidate IS rewritten: every condition is checked in `candidates`.

    `module` is the engine's parsed module (`transforms.module.Module`).
    """

    @property
    def name(self) -> str: ...

    @property
    def keyword_bound(self) -> bool: ...

    def candidates(self, module: Any, target: str | None) -> Candidates: ...

    def rewrite(
        self, module: Any, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> str | Rewritten:
        """The text with all of *sites* rewritten; a plain string says that none was swallowed."""
        ...
