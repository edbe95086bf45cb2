"""While Loop Unroller."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.condition import condition_span
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import identifiers
from pytest_jagged.transforms.nesting import MOST_BLOCKS, deepest_block
from pytest_jagged.transforms.scope import declares_scope
from pytest_jagged.transforms.splice import Edit, Indented, Span
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, suite_of

__all__ = ["WhileLoopUnroller"]

# Each level of unrolled loops doubles what is inside.
_MAX_LEVELS = 3
_MAX_LINES = 400


@dataclass(frozen=True, slots=True)
class _Loop:
    node: ast.While
    body: Suite


class WhileLoopUnroller(Splicing):
    """`while C: B` → `while C: (B; while C: B; break)`: the first round stands on its own.

    Skipped: loops with an `else` (the new `break` would suppress it); `global` or `nonlocal` in the
    body (the second copy would come after a use); a body that warns (warnings are told once per
    line); the fourth and further levels of nested loops, and bodies that would grow beyond 400
    lines; nested blocks near CPython's limit; suites on the header's line.
    """

    name = "while_loop_unroller"
    APPLIES = (
        Example("def f(n):\n    while n:\n        n -= 1\n    return n\n", "a loop"),
        Example(
            "def f(xs):\n\twhile(xs):  # why\n\t\tx = xs.pop()\n\t\tif x == 1: continue\n"
            "\t\tif x == 2:\n\t\t\tbreak\n\t\tyield x",
            "continue, break, yield; tabs, no last line end",
        ),
        Example(
            "while (a and  # one\n       b):\n    s = '''\n  kept\n'''\n    a -= 1\n",
            "a condition of two lines with a comment; strings stay",
        ),
        Example(
            "def f(a):\n    out = []\n    while a:\n        a -= 1\n        b = a\n"
            "        while b:\n            b -= 1\n            out.append((a, b))\n"
            "    return out\n",
            "nested loops",
        ),
    )
    SKIPS = (
        Example(
            "def f():\n    i = 0\n    while i < 1:\n        i += 1\n    else:\n"
            '        return "else"\n    return "none"\n',
            "an else",
        ),
        Example(
            "n = 0\ndef f():\n    while True:\n        global n\n        n += 1\n"
            "        if n > 1: break\n    return n\n",
            "a global declaration",
        ),
        Example("def f(n):\n    while n: n -= 1\n", "a suite on the header's line"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        levels: dict[ast.AST, int] = {}
        for node in module.nodes:  # outer before inner
            if not isinstance(node, ast.While):
                continue
            site = site_of(module, node, "while")
            around = next((levels[a] for a in module.ancestors(node) if a in levels), 0)
            body = suite_of(module, node, node.body)
            reason = self._refusal(module, node, body, around)
            levels[node] = around + (reason is None)
            if reason is None:
                assert body is not None
                yield Found(site, _Loop(node, body))
            else:
                yield SkippedSite(site, reason)

    def _refusal(
        self, module: Module, node: ast.While, body: Suite | None, around: int
    ) -> str | None:
        if body is None:
            return "suite on the header's line"
        if node.orelse:
            return "else part"
        if declares_scope(node.body):
            return "global or nonlocal in the body"
        if any("warn" in identifiers(module, statement) for statement in node.body):
            return "warnings are told once per line"
        if around >= _MAX_LEVELS or body.lines * 2 ** (around + 1) > _MAX_LINES:
            return "copies would grow too large"
        if deepest_block(module, node) + around + 1 > MOST_BLOCKS:
            return "too many nested blocks"
        return forbidden_context(module, node)

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        loop: _Loop = found.payload
        body, newline = loop.body, module.source.newline
        start, colon = condition_span(module, loop.node)
        closed = module.text[body.end - 1] in "\r\n"
        between = "" if closed else newline
        return Edit(
            found.site,
            body.start,
            body.end,
            (
                Span(body.start, body.end),
                f"{between}{body.indent}while",
                Span(start, colon),
                f":{newline}",
                Indented(body.start, body.end, body.indent, body.unit),
                f"{between}{body.indent}break",
                newline if closed else "",
            ),
        )
