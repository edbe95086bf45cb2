"""Dead-Code Injector."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.context import reads_source
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import fresh_name, words_of
from pytest_jagged.transforms.splice import Edit
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, wrappable_suites

__all__ = ["DeadCodeInjector"]


class DeadCodeInjector(Splicing):
    """Puts `if False:` with a dummy assignment at the head of an indented block, after a docstring.

    Applies to blocks of 1 to 100 lines. The name assigned occurs nowhere in the file: it becomes a
    name of the scope that is never bound, so that nothing can meet it. Skipped: a block that is its
    docstring only; suites on the header's line.
    """

    name = "dead_code_injector"
    APPLIES = (
        Example("def f(a):\n    return a\n", "a body"),
        Example("for x in y:\r\n\tprint(x)\r\n", "tabs and CRLF"),
        Example('class A:\n    """Doc."""\n    x = 1\n', "after the docstring"),
    )
    SKIPS = (
        Example('def f():\n    """Doc."""\n', "only a docstring"),
        Example("if a: x = 1\n", "a suite on the header's line"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for suite in wrappable_suites(module, 1, 100):
            site = site_of(module, suite.statements[0], "block")
            if reads_source(module, suite.statements[0]):
                yield SkippedSite(site, "source is read")
            else:
                yield Found(site, suite)

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        suite: Suite = found.payload
        newline = module.source.newline
        name = fresh_name(module, rng)
        value = rng.choice(_VALUES)(module, rng)
        inner = suite.indent + suite.unit
        text = f"{suite.indent}if False:{newline}{inner}{name} = {value}{newline}"
        return Edit(found.site, suite.start, suite.start, (text,))


_VALUES: tuple[Callable[[Module, random.Random], str], ...] = (
    lambda module, rng: str(rng.randrange(100)),
    lambda module, rng: f'"{rng.choice(words_of(module))}"',
    lambda module, rng: rng.choice(("None", "True", "[]", "{}", "()")),
    lambda module, rng: f"[{rng.randrange(10)}, {rng.randrange(10)}]",
)
