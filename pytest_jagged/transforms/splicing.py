"""The base of the catalogue's transformations: find sites with their nodes, splice edits."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Union

from pytest_jagged.contracts.transformation import Candidates, Rewritten, Site, SkippedSite
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.splice import Edit, Piece, render_edits

__all__ = ["Example", "Finding", "Found", "Splicing", "expression_edit", "site_of"]


@dataclass(frozen=True, slots=True)
class Example:
    """A snippet for tests and documentation: what it shows, and the target if one is needed."""

    code: str
    says: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate and what its rewriting needs (nodes, offsets)."""

    site: Site
    payload: Any


Finding = Union[Found, SkippedSite]  # noqa: UP007 - evaluated at run time, on Python 3.10 too


class Splicing:
    """One SPT: `find` yields what it can rewrite and what it refuses; `edit` rewrites one site.

    `APPLIES` must have a site each, `SKIPS` none; both are the tests and the documentation.
    Only with `reads_repository` is `module.repository` there to be asked.
    """

    name: ClassVar[str]
    keyword_bound: ClassVar[bool] = False
    reads_repository: ClassVar[bool] = False
    APPLIES: ClassVar[tuple[Example, ...]]
    SKIPS: ClassVar[tuple[Example, ...]]

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        raise NotImplementedError

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        raise NotImplementedError

    def candidates(self, module: Module, target: str | None) -> Candidates:
        findings = self._findings(module, target)
        return Candidates(
            tuple(f.site for f in findings if isinstance(f, Found)),
            tuple(f for f in findings if isinstance(f, SkippedSite)),
        )

    def rewrite(
        self, module: Module, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> Rewritten:
        known = {f.site: f for f in self._findings(module, target) if isinstance(f, Found)}
        edits = [self.edit(module, known[site], target, rng) for site in sorted(sites)]
        return Rewritten(*render_edits(module, edits))

    def _findings(self, module: Module, target: str | None) -> list[Finding]:
        key = (type(self), target if self.keyword_bound else None)
        if key not in module.memo:
            module.memo[key] = sorted(
                self.find(module, target),
                key=lambda f: (f.site, isinstance(f, SkippedSite)),
            )
        return module.memo[key]  # type: ignore[no-any-return]


def site_of(module: Module, node: Any, rule: str) -> Site:
    """The site of a node; its column counts characters."""
    start = module.start(node)
    line = module.source.line_of(start)
    column = start - module.source.line_start(start)
    return Site(line, column, node.end_lineno, rule)


def expression_edit(
    module: Module, site: Site, start: int, end: int, pieces: Sequence[Piece]
) -> Edit:
    """An edit of an expression, kept apart from the words that touch it (`return"a"`, `1if x`)."""
    text = module.text
    guarded = list(pieces)
    if start and _is_word(text[start - 1]) and not _opens(guarded[0]):
        guarded.insert(0, " ")
    if end < len(text) and _is_word(text[end]) and not _closes(guarded[-1]):
        guarded.append(" ")
    return Edit(site, start, end, tuple(guarded))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_" or not char.isascii()


def _opens(piece: Piece) -> bool:
    return isinstance(piece, str) and piece.startswith(("(", "[", "{", " "))


def _closes(piece: Piece) -> bool:
    return isinstance(piece, str) and piece.endswith((")", "]", "}", " "))
