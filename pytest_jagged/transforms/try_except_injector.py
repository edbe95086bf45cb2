"""Try Except Injector."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.if_true_wrapper import refusal
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import is_builtin_here
from pytest_jagged.transforms.nesting import MOST_BLOCKS, deepest_block
from pytest_jagged.transforms.splice import Edit, Indented
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, wrappable_suites

__all__ = ["TryExceptInjector"]


class TryExceptInjector(Splicing):
    """Puts the statements of an indented block into `try: … except Exception: raise`.

    Applies to blocks of 5 to 100 lines, after the docstring where there is one. Skipped: a file
    that binds `Exception` or imports `*`; a block in which CPython's limit of nested blocks would
    come near; a block that is its docstring only; suites on the header's line; blocks already deep.
    """

    name = "try_except_injector"
    APPLIES = (
        Example(
            "def f(a):\n    a += 1\n    a += 2\n    a += 3\n    a += 4\n    return a\n", "a body"
        ),
        Example(
            "def f():\n\ttry:\n\t\treturn {}['k']\n\texcept KeyError as e:\n\t\ta = 1\n\t\tb = 2\n"
            "\t\tc = 3\n\t\td = 4\n\t\traise\n",
            "a handler with a bare raise, and the body around it; tabs",
        ),
        Example(
            'def f():\n    """Doc."""\n    x = """\n  kept\n"""\n    y = 1\n    return x',
            "the docstring stays first, strings stay, no last line end",
        ),
        Example(
            "def f(n):\n    for i in range(n):\n        if i == 3:\n            break\n"
            "        if i == 2:\n            continue\n        yield i\n",
            "break, continue and yield; a block in a block",
        ),
    )
    SKIPS = (
        Example("def f(a):\n    return a\n", "too short"),
        Example(
            "from os import *\ndef f(a):\n    a += 1\n    a += 2\n    a += 3\n    a += 4\n"
            "    return a\n",
            "a star import may bring another Exception",
        ),
        Example(
            "class Exception:\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n",
            "Exception is bound",
        ),
        Example('def f():\n    """One.\n\n    Two.\n\n    Three.\n    """\n', "only a docstring"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        wrapped: dict[ast.AST, int] = {}
        for suite in wrappable_suites(module, 5, 100):  # outer before inner
            site = site_of(module, suite.statements[0], "block")
            around = _wrapped_around(module, suite, wrapped)
            reason = self._refusal(module, suite, around)
            wrapped.update((statement, around + (reason is None)) for statement in suite.statements)
            yield Found(site, suite) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, suite: Suite, around: int) -> str | None:
        if not is_builtin_here(module, "Exception"):
            return "Exception may be shadowed"
        deepest = max(deepest_block(module, statement) for statement in suite.statements)
        if deepest + around + 2 > MOST_BLOCKS:
            return "too many nested blocks"
        return refusal(module, suite)

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        suite: Suite = found.payload
        newline, outer, inner = module.source.newline, suite.indent, suite.indent + suite.unit
        closed = module.text[suite.end - 1] in "\r\n"
        return Edit(
            found.site,
            suite.start,
            suite.end,
            (
                f"{outer}try:{newline}",
                Indented(suite.start, suite.end, suite.indent, suite.unit),
                "" if closed else newline,
                f"{outer}except Exception:{newline}{inner}raise",
                newline if closed else "",
            ),
        )


def _wrapped_around(module: Module, suite: Suite, wrapped: dict[ast.AST, int]) -> int:
    """How many blocks around *suite* are wrapped if all are that may be."""
    node: ast.AST | None = suite.owner
    while node is not None:
        if node in wrapped:
            return wrapped[node]
        node = module.parents.get(node)
    return 0
