"""What a repository's source files hold, to verify keywords against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.sampling.tree import SeedTree

__all__ = ["Vocabulary", "vocabulary"]

_DEFINED = re.compile(r"\bdef\s+([^\W\d]\w*)")
_CALLED = re.compile(r"\.([^\W\d]\w*)\s*\(")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`callables` are the names of functions and methods that are defined or called."""

    callables: frozenset[str]
    text: str

    def holds(self, literal: str) -> bool:
        return literal in self.text

    def quotes(self, literal: str) -> bool:
        return any(f"{quote}{literal}{quote}" in self.text for quote in ("'", '"'))


def vocabulary(seed: SeedTree, instance: Instance) -> Vocabulary:
    return _cached(seed, seed.source_files(instance))


@lru_cache(maxsize=4)
def _cached(seed: SeedTree, paths: tuple[str, ...]) -> Vocabulary:
    # Form feeds keep the end of one file and the start of the next from making a phrase.
    text = "\f".join(seed.read(path).decode("utf-8", "replace") for path in paths)
    return Vocabulary(frozenset(_DEFINED.findall(text)) | frozenset(_CALLED.findall(text)), text)
