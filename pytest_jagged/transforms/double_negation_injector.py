"""Double Negation Injector."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.condition import condition_span, stripped
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.splice import Edit, Span
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of

__all__ = ["DoubleNegationInjector"]


class DoubleNegationInjector(Splicing):
    """`if C:` / `elif C:` / `while C:` → `if not not (C):`; the truth is taken once, as before.

    Skipped: the constants True and False; a condition that is itself a top-level negation.
    """

    name = "double_negation_injector"
    APPLIES = (
        Example("if x:\n    y = 1\n", "an if"),
        Example("if(x):\n    y = 1\n", "no blank behind the keyword"),
        Example("while(x):pass\n", "a one-line loop"),
        Example("if a:\n    pass\nelif not a and b:\n    pass\n", "an elif that holds a negation"),
        Example("if (n := f()):\n    print(n)\n", "an assignment expression"),
        Example("if (a and  # why\n        b):\n    pass\n", "comments stay"),
    )
    SKIPS = (
        Example("while True:\n    break\n", "a constant"),
        Example("if not x:\n    y = 1\n", "a negation"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, (ast.If, ast.While)):
                continue
            site = site_of(module, node, "while" if isinstance(node, ast.While) else "if")
            reason = self._refusal(module, node)
            yield Found(site, node) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, node: ast.If | ast.While) -> str | None:
        test = node.test
        if isinstance(test, ast.Constant) and isinstance(test.value, bool):
            return "constant condition"
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return "already a negation"
        return forbidden_context(module, node)

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        start, end = condition_span(module, found.payload)
        return Edit(
            found.site, start, end, (" not not (", Span(*stripped(module, start, end)), ")")
        )
