"""ExtractKeywords of Algorithm 1 with a model, in the spirit of the paper's Appendices A and B."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.errors import ModelServiceFailure
from pytest_jagged.sampling.keywords import literal_fault, method_fault

__all__ = ["FORM", "PROMPT", "check_keywords", "request_digest"]

PROMPT = """\
You locate faults. From an issue report you find the words that lead a developer who searches the
repository with grep to the code that is at fault.

Two kinds of words count:

methods - names of functions and methods of the project: those the report names, calls, or shows in
a traceback. The bare name only: no module or class before it, no parentheses after it.

literals - strings that stand in the project's source: parts of messages the project itself raises,
format fragments, sentinels, option names, file extensions, regular expressions. As they are written
there, without their quotes.

Ask of each candidate: would a search for exactly this text hit a line that defines or uses what is
at fault? Take only what stands in the report, letter by letter. Leave out: messages of the
interpreter or of other projects, values the reporter invented to show the problem, single common
words, names of people, paths and version numbers. An empty list is better than a weak one. The most
telling comes first.

Example. "`parse_size('5 kB')` raises `ValueError: unknown unit: kB` since 2.1; lower case works.
File "sizes/core.py", line 40, in _split_unit". methods: parse_size, _split_unit; literals:
"unknown unit". ("5 kB" is the reporter's own.)
"""
_WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
FORM: Mapping[str, Any] = {
    "type": "object",
    "properties": {"methods": _WORDS, "literals": _WORDS},
    "required": ["methods", "literals"],
    "additionalProperties": False,
}


def request_digest(model: str, issue: str) -> str:
    """Of all that decides the answer; the service's address does not."""
    return json_digest([model, PROMPT, FORM, issue])


def check_keywords(answer: Mapping[str, Any], issue: str) -> tuple[Keywords, tuple[str, ...]]:
    """What of *answer* occurs in the issue and can stand in source code, and what does not.

    A method may come qualified or with parentheses: its last name counts.

    Raises:
        ModelServiceFailure: the answer has another shape than `FORM`.
    """
    methods = [_bare(name) for name in _texts(answer, "methods")]
    literals = _texts(answer, "literals")
    kept_methods, bad_methods = _sort(methods, method_fault, lambda m: _is_word(m, issue))
    kept_literals, bad_literals = _sort(literals, literal_fault, lambda text: text in issue)
    return Keywords(kept_methods, kept_literals), (*bad_methods, *bad_literals)


def _texts(answer: Mapping[str, Any], key: str) -> list[str]:
    values = answer.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelServiceFailure(f"{key} is no list of texts")
    return values


def _bare(name: str) -> str:
    return name.partition("(")[0].strip().rpartition(".")[2]


def _is_word(name: str, issue: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", issue) is not None


def _sort(
    values: Iterable[str],
    fault_of: Callable[[str], str | None],
    occurs: Callable[[str], bool],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    good: list[str] = []
    bad: list[str] = []
    for value in dict.fromkeys(values):
        usable = fault_of(value) is None and occurs(value)
        (good if usable else bad).append(value)
    return tuple(good), tuple(bad)
