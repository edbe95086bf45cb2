"""If True Wrapper."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.context import reads_source
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.splice import Edit, Indented
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, wrappable_suites
from pytest_jagged.transforms.tautology import tautology

__all__ = ["IfTrueWrapper"]

# CPython's tokenizer stops at 100 levels; other wrappers shall find room too.
_MAX_LEVELS = 60


class IfTrueWrapper(Splicing):
    """Puts the statements of an indented block under a condition that is always true.

    Applies to blocks of 5 to 100 lines, after the docstring where there is one. Skipped: a block
    that is its docstring only; suites on the header's line; blocks already deep.
    """

    name = "if_true_wrapper"
    APPLIES = (
        Example(
            "def f(a):\n    a += 1\n    a += 2\n    a += 3\n    a += 4\n    return a\n", "a body"
        ),
        Example(
            'def f():\n    """Doc."""\n    x = """\n  kept\n"""\n    y = 1\n    return x\n',
            "the docstring stays first, strings stay",
        ),
        Example("class A:\n\tb = 1\n\tc = 2\n\td = 3\n\te = 4\n\tf = 5\n", "a class body, tabs"),
    )
    SKIPS = (
        Example("def f(a):\n    return a\n", "too short"),
        Example('def f():\n    """One.\n\n    Two.\n\n    Three.\n    """\n', "only a docstring"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for suite in wrappable_suites(module, 5, 100):
            site = site_of(module, suite.statements[0], "block")
            reason = refusal(module, suite)
            yield Found(site, suite) if reason is None else SkippedSite(site, reason)

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        suite: Suite = found.payload
        guard = f"{suite.indent}if {tautology(module, rng)}:{module.source.newline}"
        body = Indented(suite.start, suite.end, suite.indent, suite.unit)
        return Edit(found.site, suite.start, suite.end, (guard, body))


def refusal(module: Module, suite: Suite) -> str | None:
    """Why a block may not be put one level deeper."""
    if len(suite.indent.expandtabs(8)) // max(1, len(suite.unit.expandtabs(8))) > _MAX_LEVELS:
        return "too deep"
    return "source is read" if reads_source(module, suite.statements[0]) else None
