"""The geometry of suites: where an indented block stands, and the tokens of its header."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_jagged.transforms.module import Block, Module

__all__ = ["Suite", "find_token", "indented_suites", "is_docstring", "suite_of", "wrappable_suites"]

_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Suite:
    """An indented block: whole lines [start, end), its white space and one further step."""

    owner: ast.AST
    statements: Block
    start: int
    end: int
    indent: str
    unit: str

    @property
    def lines(self) -> int:
        first, last = self.statements[0], self.statements[-1]
        assert last.end_lineno is not None
        return last.end_lineno - first.lineno + 1


def is_docstring(owner: ast.AST, statement: ast.stmt) -> bool:
    """Whether *statement*, the first of *owner*, is its docstring."""
    return (
        isinstance(owner, _DOCUMENTED)
        and isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def suite_of(module: Module, owner: ast.AST, statements: Block) -> Suite | None:
    """None for a suite on its header's line, or one whose indentation holds form feeds."""
    first = module.start(statements[0])
    indent = module.indent_at(first)
    start = module.source.line_start(first)
    if not indent or _continues(module.text, start):
        return None
    end = module.source.line_end(module.end(statements[-1]))
    unit = module.indent_unit
    if "\f" in module.text[start:end]:
        return None
    return Suite(owner, statements, start, end, indent, unit)


def _continues(text: str, line_start: int) -> bool:
    """Whether the line before ends in a backslash."""
    return text[:line_start].rstrip("\r\n").endswith("\\")


def indented_suites(module: Module) -> list[Suite]:
    """All indented blocks of the file, outer before inner."""

    def found() -> Iterator[Suite]:
        for owner, statements in module.blocks:
            suite = suite_of(module, owner, statements)
            if suite is not None:
                yield suite

    if "suites" not in module.memo:
        module.memo["suites"] = list(found())
    return list(module.memo["suites"])


def find_token(module: Module, token: str, start: int, end: int) -> int:
    """Offset of *token* in [start, end), comments passed over; -1 where it is not.

    The span must hold no strings, as between two neighbouring nodes.
    """
    text, position = module.text, start
    while position < end:
        if text[position] == "#":
            position = module.source.line_end(position)
        elif text.startswith(token, position):
            return position
        else:
            position += 1
    return -1


def wrappable_suites(module: Module, least: int, most: int) -> Iterator[Suite]:
    """Blocks of *least* to *most* lines, each from the statement after its docstring on.

    A block that is nothing but a docstring gives none.
    """
    for suite in indented_suites(module):
        if not least <= suite.lines <= most:
            continue
        if not is_docstring(suite.owner, suite.statements[0]):
            yield suite
        elif len(suite.statements) > 1:
            rest = suite_of(module, suite.owner, suite.statements[1:])
            if rest is not None:
                yield rest
