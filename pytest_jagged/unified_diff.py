"""The hunks of a unified git diff as text, for agents that edit by search and replace."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FileDiff", "Hunk", "read_diff"]

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Replace `before` by `after`, both with their context lines and line ends."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """`old` None: the file is new; `new` None: it is deleted."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]


def read_diff(text: str) -> tuple[FileDiff, ...]:
    """The files of a diff with `---`/`+++` headers; mode-only and binary entries are left out."""
    lines = text.split("\n")
    files: list[FileDiff] = []
    index = 0
    while index + 1 < len(lines):
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ "):
            old, new = _path(lines[index][4:]), _path(lines[index + 1][4:])
            hunks, index = _read_hunks(lines, index + 2)
            files.append(FileDiff(old, new, hunks))
        else:
            index += 1
    return tuple(files)


def _path(header: str) -> str | None:
    name = header.split("\t")[0].rstrip("\r")
    if name == "/dev/null":
        return None
    return name.split("/", 1)[1] if name[:2] in ("a/", "b/") else name


def _read_hunks(lines: list[str], index: int) -> tuple[tuple[Hunk, ...], int]:
    hunks: list[Hunk] = []
    while index < len(lines) and (match := _HUNK.match(lines[index])):
        left = [int(count) if count is not None else 1 for count in match.groups()]
        hunk, index = _read_hunk(lines, index + 1, left[0], left[1])
        hunks.append(hunk)
    return tuple(hunks), index


def _read_hunk(lines: list[str], index: int, old: int, new: int) -> tuple[Hunk, int]:
    """*old* and *new* count the lines that are still to come on each side."""
    before: list[str] = []
    after: list[str] = []
    while index < len(lines) and (old or new or lines[index].startswith("\\")):
        mark, content = lines[index][:1], lines[index][1:]
        if mark == "\\":  # no newline at end of file: it speaks of the line before it
            _strip_newline(lines[index - 1][:1], before, after)
        else:
            if mark in (" ", "", "-"):
                before.append(content + "\n")
                old -= 1
            if mark in (" ", "", "+"):
                after.append(content + "\n")
                new -= 1
        index += 1
    return Hunk("".join(before), "".join(after)), index


def _strip_newline(mark: str, before: list[str], after: list[str]) -> None:
    if mark in ("-", " ", ""):
        before[-1] = before[-1].removesuffix("\n")
    if mark in ("+", " ", ""):
        after[-1] = after[-1].removesuffix("\n")
