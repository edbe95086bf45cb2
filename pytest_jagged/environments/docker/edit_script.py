"""Bring files of a tree in a container to given states, by a shell script and staged contents."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from pytest_jagged.contracts.instance import FileEdit

__all__ = ["stage_edits"]

# The rules of `environments.edits`: links and folders in the way give way, a file that is only
# rewritten stays in place, a folder where a file shall not be is no such file.
_FUNCTIONS = """
set -e
umask 022
folder() {
    if [ -L "$1" ] || { [ -e "$1" ] && [ ! -d "$1" ]; }; then rm -f -- "$1"; fi
    [ -d "$1" ] || mkdir -- "$1"
}
put() {
    if [ -L "$2" ] || [ ! -f "$2" ] || [ "$(stat -c %h -- "$2")" != 1 ]; then rm -rf -- "$2"; fi
    cat "$1" > "$2"
}
"""


def stage_edits(edits: Iterable[FileEdit], staged: str) -> tuple[str, Mapping[str, bytes]]:
    """A script for the tree's folder, and the contents by the name they need in folder *staged*."""
    contents: dict[str, bytes] = {}
    lines = [_FUNCTIONS]
    for number, edit in enumerate(edits):
        if edit.content is None:
            lines += _removal(edit.path)
            continue
        contents[str(number)] = edit.content
        lines += [f"folder {_quoted(parent)}" for parent in _parents(edit.path)]
        lines.append(f"put {shlex.quote(f'{staged}/{number}')} {_quoted(edit.path)}")
        if edit.executable is not None:
            lines.append(f"chmod {755 if edit.executable else 644} {_quoted(edit.path)}")
    return "\n".join(lines) + "\n", contents


def _removal(path: str) -> Iterator[str]:
    reached = [f"[ ! -L {p} ] && [ -d {p} ]" for p in map(_quoted, _parents(path))]
    file = _quoted(path)
    guards = [*reached, f"{{ [ -L {file} ] || [ ! -d {file} ]; }}"]
    yield f"if {' && '.join(guards)}; then rm -f -- {file}; fi"


def _parents(path: str) -> list[str]:
    above = [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
    return above[::-1]


def _quoted(path: str) -> str:
    return shlex.quote(f"./{path}")
