"""The hunks of a unified git diff as text, for agents that edit by search and replace."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FileDiff", "Hunk", "read_diff"]

_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-3][0-7]{2})')
_LETTERS = {
    letter: value.encode()
    for letter, value in zip(
        (b"a", b"b", b"f", b"n", b"r", b"t", b"v", b'"', b"\\"), '\a\b\f\n\r\t\v"\\', strict=True
    )
}
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Replace `before` by `after`, both with their context lines and line ends."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """`old` None: the file is new; `new` None: it is deleted; two names: it is renamed.

    Without hunks: an empty file, or a rename that changes nothing in it.
    """

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]


def read_diff(text: str) -> tuple[FileDiff, ...]:
    """The files of a diff in its order; mode-only and binary entries are left out."""
    lines = text.split("\n")
    files: list[FileDiff] = []
    index = 0
    while index + 1 < len(lines):
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ "):
            old, new = _path(lines[index][4:]), _path(lines[index + 1][4:])
            hunks, index = _read_hunks(lines, index + 2)
            files.append(FileDiff(old, new, hunks))
        else:
            if lines[index].startswith("diff --git "):
                files += _without_text(lines, index)
            index += 1
    return tuple(files)


def _without_text(lines: list[str], index: int) -> list[FileDiff]:
    """An entry of git headers alone: an empty file that comes or goes, or a pure rename."""
    names = _same_name(lines[index].removeprefix("diff --git ").rstrip("\r"))
    header: dict[str, str] = {}
    for line in lines[index + 1 :]:
        if line.startswith(("--- ", "GIT binary patch", "Binary files ")):
            return []
        if line.startswith("diff --git "):
            break
        for key in ("new file mode", "deleted file mode", "rename from", "rename to"):
            if line.startswith(key + " "):
                header[key] = _unquote(line.removeprefix(key + " ").rstrip("\r"))
    if "rename from" in header and "rename to" in header:
        return [FileDiff(header["rename from"], header["rename to"], ())]
    if "new file mode" in header and names is not None:
        return [FileDiff(None, names, ())]
    if "deleted file mode" in header and names is not None:
        return [FileDiff(names, None, ())]
    return []


def _same_name(text: str) -> str | None:
    """The name of `a/NAME b/NAME`; blanks in it are told apart by the halves being equal."""
    half = (len(text) - 1) // 2
    first, second = _unquote(text[:half]), _unquote(text[half + 1 :])
    return first[2:] if first[2:] == second[2:] and first[:2] == "a/" else None


def _unquote(name: str) -> str:
    """git's C-style quotes around names with special characters (core.quotePath)."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        return name
    data = _ESCAPE.sub(
        lambda m: _LETTERS.get(m[1]) or bytes([int(m[1], 8)]),
        name[1:-1].encode("utf-8", "surrogateescape"),
    )
    return data.decode("utf-8", "surrogateescape")


def _path(header: str) -> str | None:
    name = _unquote(header.split("\t")[0].rstrip("\r"))
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
