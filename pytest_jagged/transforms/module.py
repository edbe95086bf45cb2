"""A parsed module: text, syntax tree, positions and what analyses remember about it."""

from __future__ import annotations

import ast
import copy
import io
import tokenize
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from pytest_jagged.contracts.transformation import SourceTree
from pytest_jagged.transforms.nodes import index
from pytest_jagged.transforms.parsing import parse_tree
from pytest_jagged.transforms.source import SourceText

__all__ = ["Block", "Module", "parse_module"]

Block = Sequence[ast.stmt]
_BLOCK_FIELDS = ("body", "orelse", "finalbody")


def parse_module(source: SourceText, path: str | None = None) -> Module:
    """Raises TransformError for a text that is not Python (to this interpreter)."""
    return Module(source, parse_tree(source.text), path)


class Module:
    """Nodes are those of `ast`; offsets count characters of `text`.

    `memo` keeps the results of analyses; a Module is never changed, so they stay right.
    """

    def __init__(self, source: SourceText, tree: ast.Module, path: str | None) -> None:
        self.source = source
        self.text = source.text
        self.tree = tree
        self.path = path
        self.repository: SourceTree | None = None
        self.memo: dict[Any, Any] = {}

    def within(self, repository: SourceTree) -> Module:
        """The same module as a file of *repository*, with a memory of its own."""
        view = copy.copy(self)
        view.repository = repository
        view.memo = {}
        return view

    @cached_property
    def _index(self) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
        return index(self.tree)

    @property
    def nodes(self) -> list[ast.AST]:
        """All nodes but contexts and operators, parents before children (breadth first)."""
        return self._index[0]

    @property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return self._index[1]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    # -- positions --------------------------------------------------------------------------------

    def start(self, node: Any) -> int:
        """Offset of the node's first character; of a decorated definition, its first `@`."""
        decorators = getattr(node, "decorator_list", None)
        if decorators:
            first = decorators[0]
            return self.text.rfind("@", 0, self.source.offset(first.lineno, first.col_offset))
        return self.source.offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        return self.source.offset(node.end_lineno, node.end_col_offset)

    def span(self, node: Any) -> tuple[int, int]:
        return self.start(node), self.end(node)

    def text_of(self, node: Any) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def indent_at(self, offset: int) -> str | None:
        """The white space before *offset* if nothing else stands before it on its line."""
        before = self.text[self.source.line_start(offset) : offset]
        return before if before.strip(" \t") == "" else None

    # -- lines ------------------------------------------------------------------------------------

    @cached_property
    def frozen_lines(self) -> frozenset[int]:
        """Lines that begin inside a string: their first characters belong to its value."""
        frozen: set[int] = set()
        for node in self.nodes:
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                assert node.end_lineno is not None
                frozen.update(range(node.lineno + 1, node.end_lineno + 1))
        return frozenset(frozen)

    @cached_property
    def comments(self) -> tuple[int, ...]:
        """Offsets of all comments; empty if the tokenizer cannot read the file."""
        found: list[int] = []
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text, newline="").readline):
                if token.type == tokenize.COMMENT:
                    line, column = token.start
                    found.append(self.source.starts[line - 1] + column)
        except (tokenize.TokenError, SyntaxError, IndexError):
            return tuple(i for i, char in enumerate(self.text) if char == "#")
        return tuple(found)

    def has_comment(self, start: int, end: int) -> bool:
        return "#" in self.text[start:end] and any(start <= c < end for c in self.comments)

    # -- blocks -----------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> list[tuple[ast.AST, Block]]:
        """(owner, statements) of every suite; an `elif` is no suite of its `if`."""
        found: list[tuple[ast.AST, Block]] = []
        for node in self.nodes:
            if isinstance(node, (ast.Lambda, ast.IfExp, ast.Module)):
                continue
            for name in _BLOCK_FIELDS:
                block = getattr(node, name, None)
                if isinstance(block, list) and block and not self.is_elif(block[0], node, name):
                    found.append((node, block))
        return found

    @cached_property
    def indent_unit(self) -> str:
        """One step of the file's own indentation; four blanks where it shows none."""
        for owner, block in self.blocks:
            if hasattr(owner, "lineno"):
                outer = self.indent_at(self.start(owner))
                inner = self.indent_at(self.start(block[0]))
                if outer is not None and inner and inner.startswith(outer) and inner != outer:
                    return inner[len(outer) :]
        return "    "

    def is_elif(self, statement: ast.AST, owner: ast.AST, field: str) -> bool:
        """Whether *statement* is written as the `elif` of *owner*."""
        return (
            field == "orelse"
            and isinstance(owner, ast.If)
            and isinstance(statement, ast.If)
            and self.text.startswith("elif", self.start(statement))
        )
