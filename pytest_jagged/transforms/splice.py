"""Edits of a text that may nest: each says what replaces its span in terms of rendered parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Union

from pytest_jagged.contracts.transformation import Site
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.source import line_starts

__all__ = ["Edit", "Indented", "Piece", "Span", "render_edits"]


@dataclass(frozen=True, slots=True)
class Span:
    """The text of a span of the original, with the edits inside it applied."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Indented:
    """The lines of a span (it begins at a line's start) moved right by *unit*.

    *prefix* is the white space that the span's own block has; the unit goes behind it, so that tabs
    and blanks are not mixed in a new order. Blank lines and lines inside strings stay.
    """

    start: int
    end: int
    prefix: str
    unit: str


Piece = Union[str, Span, Indented]  # noqa: UP007 - evaluated at run time, on Python 3.10 too


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace [start, end) by the pieces; start == end inserts."""

    site: Site
    start: int
    end: int
    pieces: tuple[Piece, ...]


def render_edits(module: Module, edits: Sequence[Edit]) -> tuple[str, frozenset[Site]]:
    """The text with all edits done, and the sites that are in it.

    An edit inside another is done wherever the outer one renders the part it stands in (twice where
    that part is copied); one that no outer edit renders is swallowed and not among the sites.
    """
    renderer = _Renderer(module, edits)
    text = renderer.render(0, len(module.text), outer=None)
    return text.replace(renderer.mark, ""), frozenset(renderer.done)


class _Renderer:
    def __init__(self, module: Module, edits: Sequence[Edit]) -> None:
        self.module = module
        self.edits = sorted(edits, key=lambda e: (e.start, -e.end, e.site))
        self.starts = [edit.start for edit in self.edits]
        self.done: set[Site] = set()
        # Marks the start of lines whose first characters belong to a string; never in the output.
        private = map(chr, range(0xE000, 0x110000))
        self.mark = next(mark for mark in private if mark not in module.text)

    def render(self, start: int, end: int, outer: Edit | None) -> str:
        """The text of [start, end); *outer* is the edit whose part this is."""
        parts: list[str] = []
        position = start
        for edit in self._inside(start, end, outer):
            if edit.start < position:
                continue  # it stands inside an edit that has just been rendered
            parts.append(self._plain(position, edit.start))
            parts.extend(self._piece(piece, edit) for piece in edit.pieces)
            self.done.add(edit.site)
            position = edit.end
        parts.append(self._plain(position, end))
        return "".join(parts)

    def _inside(self, start: int, end: int, outer: Edit | None) -> Iterator[Edit]:
        for index in range(bisect_left(self.starts, start), len(self.edits)):
            edit = self.edits[index]
            if edit.start >= end and not edit.start == end == len(self.module.text):
                return  # what is inserted at a boundary belongs to the span that begins there
            if edit.end <= end and edit is not outer and not self._wraps(edit, outer):
                yield edit

    def _wraps(self, edit: Edit, outer: Edit | None) -> bool:
        """Whether *edit* contains *outer*: it is further out on the way here."""
        return outer is not None and edit.start <= outer.start and edit.end >= outer.end

    def _piece(self, piece: Piece, edit: Edit) -> str:
        if isinstance(piece, str):
            return piece
        text = self.render(piece.start, piece.end, edit)
        return text if isinstance(piece, Span) else self._indent(text, piece)

    def _indent(self, text: str, how: Indented) -> str:
        starts = (*line_starts(text), len(text))
        return "".join(self._indent_line(text[start:end], how) for start, end in pairwise(starts))

    def _indent_line(self, line: str, how: Indented) -> str:
        if line.startswith(self.mark) or not line.strip():
            return line
        if line.startswith(how.prefix):
            return how.prefix + how.unit + line[len(how.prefix) :]
        return how.unit + line

    def _plain(self, start: int, end: int) -> str:
        """Original text, with the mark put where a frozen line begins."""
        source, frozen = self.module.source, self.module.frozen_lines
        if not frozen or start >= end:
            return self.module.text[start:end]
        parts: list[str] = []
        position = start
        for line in range(source.line_of(start), source.line_of(end) + 1):
            at = source.starts[line - 1]
            if line in frozen and start <= at < end:
                parts += [self.module.text[position:at], self.mark]
                position = at
        parts.append(self.module.text[position:end])
        return "".join(parts)
