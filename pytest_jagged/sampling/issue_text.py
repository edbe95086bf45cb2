"""Offline rules that find method names and string literals in an issue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["mentioned_literals", "mentioned_names"]

_IDENTIFIER = r"[^\W\d]\w*"
_SHORTEST_NAME = 3
_SHORTEST_FRAGMENT = 6

_BACKTICKS = re.compile(r"`([^`\n]+)`")
_CALL = re.compile(rf"\b({_IDENTIFIER})\(")
_DOTTED = re.compile(rf"\b{_IDENTIFIER}(?:\.{_IDENTIFIER})+\b")
_FRAME = re.compile(rf'File "[^"\n]+", line \d+, in ({_IDENTIFIER})')
_SNAKE = re.compile(r"\b_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_LAST_PART = re.compile(rf"({_IDENTIFIER})(?:\(.*\))?$")

# An apostrophe inside a word is no quotation mark.
_QUOTED = re.compile(r"\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”|‘([^’\n]+)’")
_MESSAGE = re.compile(
    rf"^[>|E\s]*(?:{_IDENTIFIER}\.)*\w*(?:Error|Exception|Warning):\s+(.+)$", re.M
)
_FILE_NAME = re.compile(r"[\w./\\-]+\.\w{1,5}")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*\S*")
# What a message says about the case at hand; the project's own words stand between.
_VALUE = re.compile(r"\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|<[^>]*>|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}")


def mentioned_names(issue: str) -> tuple[str, ...]:
    """Names in backticks, calls, tracebacks, dotted paths (their last part) and snake_case words.

    In the order of the issue, each once; whether they mean anything in a repository is not asked.
    """
    found: list[tuple[int, str]] = []
    for match in _BACKTICKS.finditer(issue):
        last = _LAST_PART.search(match[1].strip())
        if last is not None:
            found.append((match.start() + 1, last[1]))
    for pattern in (_CALL, _FRAME):
        found += [(match.start(1), match[1]) for match in pattern.finditer(issue)]
    found += [(m.start(), m[0].rpartition(".")[2]) for m in _DOTTED.finditer(issue)]
    found += [(m.start(), m[0]) for m in _SNAKE.finditer(issue)]
    return _in_order(item for item in found if len(item[1]) >= _SHORTEST_NAME)


def mentioned_literals(issue: str, holds: Callable[[str], bool]) -> tuple[str, ...]:
    """Quoted strings and messages of exceptions for which *holds* is true, in the issue's order.

    A message that the repository builds from a template is nowhere whole: then its longest
    fragments between values count, if they are more than one word.
    """
    found: list[tuple[int, str]] = []
    for match in _QUOTED.finditer(issue):
        found += _held(match.start(), next(g for g in match.groups() if g is not None), holds)
    for match in _MESSAGE.finditer(issue):
        found += _held(match.start(1), match[1].strip(), holds)
    for match in _BACKTICKS.finditer(issue):
        if not _LAST_PART.fullmatch(match[1].strip().rpartition(".")[2]):
            found += _held(match.start(), match[1], holds)
    return _in_order(found)


def _held(position: int, literal: str, holds: Callable[[str], bool]) -> list[tuple[int, str]]:
    if _FILE_NAME.fullmatch(literal) or _VERSION.fullmatch(literal):
        return []
    if holds(literal):
        return [(position, literal)]
    fragments = [fragment.strip() for fragment in _VALUE.split(literal)]
    return [
        (position + literal.find(fragment), fragment)
        for fragment in fragments
        if len(fragment) >= _SHORTEST_FRAGMENT and " " in fragment and holds(fragment)
    ]


def _in_order(found: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for _, text in sorted(found)))
