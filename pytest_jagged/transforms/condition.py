"""The header of `if`, `elif` and `while`: keyword, condition, colon."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.suite import find_token

__all__ = ["ElseParts", "condition_span", "else_parts", "stripped"]

_SPACE = " \t\f\\\r\n"
_KEYWORDS = ("elif", "if", "while")


def condition_span(module: Module, node: ast.If | ast.While) -> tuple[int, int]:
    """From behind the keyword to the colon: the condition with its white space and parentheses."""
    start = module.start(node)
    keyword = next(word for word in _KEYWORDS if module.text.startswith(word, start))
    colon = find_token(module, ":", module.end(node.test), module.start(node.body[0]))
    return start + len(keyword), colon


def stripped(module: Module, start: int, end: int) -> tuple[int, int]:
    """The span without the white space and line joins at its ends."""
    while start < end and module.text[start] in _SPACE:
        start += 1
    while end > start and module.text[end - 1] in _SPACE:
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True)
class ElseParts:
    """Where a statement's plain `else:` stands: its keyword and its colon."""

    keyword: int
    colon: int


def else_parts(module: Module, node: ast.If) -> ElseParts | None:
    """None when *node* has no `else`, or continues as `elif`."""
    if not node.orelse or module.is_elif(node.orelse[0], node, "orelse"):
        return None
    start, end = module.end(node.body[-1]), module.start(node.orelse[0])
    keyword = find_token(module, "else", start, end)
    return ElseParts(keyword, find_token(module, ":", keyword, end))
