"""Whether a class of a repository may get one more method: its bases, its heirs, its readers."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from pathlib import PurePosixPath

from pytest_jagged.contracts.transformation import SourceTree
from pytest_jagged.transforms.class_facts import LOCAL, Base, ClassFacts, FileFacts, file_facts

__all__ = ["Repository"]

_DEPTH = 20


class Repository:
    """The files of a tree, or a single one, asked about classes by name.

    Classes are told apart by their last name only: where several share one, all of them must hold.
    """

    def __init__(self, own: bytes, tree: SourceTree | None) -> None:
        sources = [own] if tree is None else [own, *(tree.read(path) for path in tree.paths())]
        found = (file_facts(source) for source in sources)
        self.files: list[FileFacts] = [facts for facts in found if facts is not None]
        parts = () if tree is None else (PurePosixPath(path) for path in tree.paths())
        self.packages = {LOCAL} | {name for path in parts for name in (*path.parts, path.stem)}

    def reads(self, name: str) -> str | None:
        """Why the appearance of an attribute *name* could be noticed anywhere in the files."""
        for facts in self.files:
            if name in facts.words:
                return "the name occurs in a string"
            if any(name.startswith(prefix) for prefix in facts.prefixes) or any(
                name.endswith(suffix) for suffix in facts.suffixes
            ):
                return "the name could be put together from a string"
            if name in facts.watched:
                return "attributes of that name are set or probed"
        return None

    def base_refusal(self, facts: ClassFacts, name: str, depth: int = _DEPTH) -> str | None:
        """Why *facts*' bases could have a say about the attribute *name*."""
        for base in facts.bases:
            reason = self._one_base(base, name, depth)
            if reason is not None:
                return reason
        return None

    def _one_base(self, base: Base, name: str, depth: int) -> str | None:
        if base.origin == "builtins":
            cls = getattr(builtins, base.name, None)
            plain = isinstance(cls, type) and type(cls) is type
            return "a base has the name" if not plain or hasattr(cls, name) else None
        if base == Base("Generic", "typing"):
            return None
        if base.origin not in self.packages or depth == 0:
            return "a base from elsewhere"
        found = list(self._named(base.name))
        if not found:
            return "a base from elsewhere"
        for facts in found:
            if not facts.open:
                return "a base controls its attributes"
            if name in facts.mentioned:
                return "a base has the name"
            reason = self.base_refusal(facts, name, depth - 1)
            if reason is not None:
                return reason
        return None

    def heir_refusal(self, facts: ClassFacts, name: str) -> str | None:
        """Why a class that inherits from *facts* could change by the attribute *name*."""
        for heir in self._heirs(facts.name):
            if not heir.open:
                return "a subclass controls its attributes"
            if name in heir.mentioned:
                return "a subclass has the name"
            if len(heir.bases) > 1 and self.base_refusal(_without(heir, facts.name), name):
                return "a subclass has other bases that may have the name"
        return None

    def _named(self, name: str) -> Iterator[ClassFacts]:
        for facts in self.files:
            yield from facts.by_name.get(name, ())

    def _heirs(self, name: str) -> Iterator[ClassFacts]:
        known, pending = {name}, [name]
        while pending:
            current = pending.pop()
            for facts in self.files:
                names = set(facts.aliases.get(current, ()))
                for heir in facts.by_base.get(current, ()):
                    yield heir
                    names.add(heir.name)
                pending += sorted(names - known)
                known |= names


def _without(facts: ClassFacts, name: str) -> ClassFacts:
    bases = tuple(base for base in facts.bases if base.name != name)
    return ClassFacts(facts.name, bases, facts.mentioned, facts.open)
