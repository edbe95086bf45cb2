"""Parsed modules shared between transformations and variants."""

from __future__ import annotations

from collections import OrderedDict

from pytest_jagged.transforms.module import Module, parse_module
from pytest_jagged.transforms.source import decode_source

__all__ = ["load_module"]

# A module takes some 50 times its text. Files of the seed are met by every variant, always in the
# same order: what is kept must not push itself out. A rewritten file is met once or twice.
_MOST_CHARACTERS = 8_000_000
_MOST_PASSING = 8

_Key = tuple[bytes, str | None]


class _Cache:
    def __init__(self) -> None:
        self.lasting: dict[_Key, Module] = {}
        self.passing: OrderedDict[_Key, Module] = OrderedDict()
        self.characters = 0

    def load(self, key: _Key, *, lasting: bool) -> Module:
        known = self.lasting.get(key) or self.passing.get(key)
        if known is not None:
            return known
        module = parse_module(decode_source(key[0]), key[1])
        if lasting and self.characters + len(module.text) <= _MOST_CHARACTERS:
            self.lasting[key] = module
            self.characters += len(module.text)
        else:
            self.passing[key] = module
            if len(self.passing) > _MOST_PASSING:
                self.passing.popitem(last=False)
        return module


_CACHE = _Cache()


def load_module(source: bytes, path: str | None, *, lasting: bool = False) -> Module:
    """*lasting*: the bytes are a file as the seed has it, which other variants will ask for too.

    Raises:
        TransformError: the bytes are not Python.
    """
    return _CACHE.load((source, path), lasting=lasting)
