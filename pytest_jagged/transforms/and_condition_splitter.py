"""And Condition Splitter."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.condition import condition_span, else_parts, stripped
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import identifiers
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.scope import declares_scope
from pytest_jagged.transforms.splice import Edit, Indented, Piece, Span
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, find_token, suite_of

__all__ = ["AndConditionSplitter"]

# The else part is copied; nested copies double each level.
_MAX_COPIED_LINES = 30


@dataclass(frozen=True, slots=True)
class _Split:
    node: ast.If
    body: Suite
    orelse: Suite | None


class AndConditionSplitter(Splicing):
    """`if A and B: S else: E` → `if A: (if B: S else: E) else: E`, cut at any of the `and`s.

    Skipped: an else part that is an `elif`, is longer than 30 lines, holds another such `if` with
    an else part (the copies would double), declares `global`/`nonlocal` (the second copy would
    come after a use), or warns (warnings are told once per line); suites on the header's line;
    comments inside the condition.
    """

    name = "and_condition_splitter"
    APPLIES = (
        Example("if a and b:\n    x = 1\n", "no else"),
        Example(
            "if a and b and c:  # why\n    x = 1\nelse:  # not\n    x = 2\n", "three conditions"
        ),
        Example("if x:\n    pass\nelif (a or b) and(c):\n    x = 1\n", "an elif"),
        Example("if (a and\n        b):\n    x = '''\n  s'''\n", "over two lines; strings stay"),
        Example("def f(a):\n\tif a and (b := a):\n\t\treturn b\n\telse:\n\t\treturn 1\n", "tabs"),
    )
    SKIPS = (
        Example(
            "def f(a, b):\n    if a and b:\n        return 1\n    else:\n        global x\n"
            "        x = 5\n    return x\n",
            "a global declaration would be copied",
        ),
        Example("if a and b:\n    x = 1\nelif c:\n    x = 2\n", "each level would double an elif"),
        Example("if a or b:\n    x = 1\n", "no conjunction"),
        Example(
            "import warnings\nif a and b:\n    x = 1\nelse:\n    warnings.warn('old')\n",
            "the warning would be told at two lines",
        ),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, ast.If) or not _is_and(node.test):
                continue
            site = site_of(module, node, "if")
            reason = self._refusal(module, node)
            if reason is None:
                split = self._geometry(module, node)
                reason = "suite on the header's line" if split is None else None
            yield Found(site, split) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, node: ast.If) -> str | None:
        if node.orelse and else_parts(module, node) is None:
            return "else part is an elif"
        if node.orelse and declares_scope(node.orelse):
            return "global or nonlocal in the else part"
        if any(_copies(inner) for part in node.orelse for inner in walk(part)):
            return "else part would be copied twice"
        if any("warn" in identifiers(module, part) for part in node.orelse):
            return "warnings are told once per line"
        if module.has_comment(*condition_span(module, node)):
            return "comment in the condition"
        return forbidden_context(module, node)

    def _geometry(self, module: Module, node: ast.If) -> _Split | None:
        body = suite_of(module, node, node.body)
        if body is None:
            return None
        if not node.orelse:
            return _Split(node, body, None)
        orelse = suite_of(module, node, node.orelse)
        if orelse is None or orelse.lines > _MAX_COPIED_LINES:
            return None
        return _Split(node, body, orelse)

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        split: _Split = found.payload
        node, body, orelse = split.node, split.body, split.orelse
        start, colon = condition_span(module, node)
        first, second = _cut(module, node, rng)
        newline = module.source.newline
        own_indent = module.text[module.source.line_start(start) : module.start(node)]
        body_end = (
            body.end if orelse is None else module.source.line_start(_else_keyword(module, node))
        )
        pieces: list[Piece] = [
            " ",
            *_condition(module, first),
            Span(colon, body.start),
            body.indent,
            "if ",
            *_condition(module, second),
            ":",
            newline,
            Indented(body.start, body_end, body.indent, body.unit),
        ]
        end = body_end
        if orelse is not None:
            header = Span(body_end, orelse.start)
            copy = Indented(orelse.start, orelse.end, orelse.indent, orelse.unit)
            tail = "" if module.text[orelse.end - 1] in "\r\n" else newline
            else_text = module.text[_else_keyword(module, node) : orelse.start]
            pieces += [body.indent, else_text, copy, tail, header, Span(orelse.start, orelse.end)]
            end = orelse.end
        assert own_indent.strip() in ("", "el")
        return Edit(found.site, start, end, tuple(pieces))


def _is_and(test: ast.expr) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _copies(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and bool(node.orelse) and _is_and(node.test)


def _else_keyword(module: Module, node: ast.If) -> int:
    parts = else_parts(module, node)
    assert parts is not None
    return parts.keyword


def _cut(
    module: Module, node: ast.If, rng: random.Random
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The spans left and right of one `and`, operands with their own parentheses."""
    test = node.test
    assert isinstance(test, ast.BoolOp)
    at = rng.randrange(1, len(test.values))
    left, right = test.values[at - 1], test.values[at]
    word = find_token(module, "and", module.end(left), module.start(right))
    start, end = module.span(test)
    return stripped(module, start, word), stripped(module, word + len("and"), end)


def _condition(module: Module, span: tuple[int, int]) -> tuple[Piece, ...]:
    """In parentheses when it goes over several lines."""
    text = module.text[span[0] : span[1]]
    if "\n" in text or "\r" in text:
        return ("(", Span(*span), ")")
    return (Span(*span),)
