"""Conditions that are always true, grown from a grammar."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import words_of

__all__ = ["tautology"]

_COMPARISONS: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
    ("<", operator.lt),
    (">", operator.gt),
    ("<=", operator.le),
    (">=", operator.ge),
    ("==", operator.eq),
    ("!=", operator.ne),
)
_ARITHMETIC: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("+", operator.add),
    ("-", operator.sub),
    ("*", operator.mul),
    ("%", operator.mod),
)
_BITS: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("&", operator.and_),
    ("|", operator.or_),
    ("^", operator.xor),
)


def tautology(module: Module, rng: random.Random, depth: int = 2) -> str:
    """A condition of constants that is true; *depth* rounds of logical expansion.

    Strings in it are words of the file, so that no alphabet of their own marks the guards.
    """
    return _grow(module, rng, truth=True, depth=rng.randint(0, depth))


def _grow(module: Module, rng: random.Random, truth: bool, depth: int) -> str:
    if depth == 0:
        return _leaf(module, rng, truth)

    def part(value: bool) -> str:
        return _grow(module, rng, value, depth - 1)

    form = rng.choice(("and", "or", "not"))
    if form == "not":
        return f"not ({part(not truth)})"
    if truth == (form == "or"):  # one side decides, the other may be anything
        sides = [truth, rng.random() < 0.5]
        rng.shuffle(sides)
        return f"({part(sides[0])}) {form} ({part(sides[1])})"
    return f"({part(truth)}) {form} ({part(truth)})"


def _leaf(module: Module, rng: random.Random, truth: bool) -> str:
    kind = rng.choice((_compare, _arithmetic, _bits, _words))
    text, holds = kind(module, rng)
    return text if holds == truth else f"not ({text})"


def _compare(module: Module, rng: random.Random) -> tuple[str, bool]:
    sign, function = rng.choice(_COMPARISONS)
    left, right = rng.randrange(31), rng.randrange(31)
    return f"{left} {sign} {right}", function(left, right)


def _arithmetic(module: Module, rng: random.Random) -> tuple[str, bool]:
    symbol, compute = rng.choice(_ARITHMETIC)
    sign, function = rng.choice(_COMPARISONS)
    left, right, bound = rng.randint(1, 100), rng.randint(1, 100), rng.randint(1, 100)
    return f"{left} {symbol} {right} {sign} {bound}", function(compute(left, right), bound)


def _bits(module: Module, rng: random.Random) -> tuple[str, bool]:
    symbol, compute = rng.choice(_BITS)
    left, right = rng.randint(1, 15), rng.randint(1, 15)
    value = compute(left, right) + rng.choice((0, 1))
    return f"({left} {symbol} {right}) == {value}", value == compute(left, right)


def _words(module: Module, rng: random.Random) -> tuple[str, bool]:
    words = words_of(module)
    left, right = rng.choice(words), rng.choice(words)
    sign = rng.choice(("==", "!="))
    return f'"{left}" {sign} "{right}"', (left == right) == (sign == "==")
