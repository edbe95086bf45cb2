"""For Loop Rewriter."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence

from pytest_jagged.contracts.transformation import Rewritten, Site, SkippedSite
from pytest_jagged.transforms.bindings import is_builtin_at, scope_of
from pytest_jagged.transforms.for_loop_shape import ForLoop, for_loop, loop_pieces, own_breaks
from pytest_jagged.transforms.if_true_wrapper import refusal
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import fresh_name, identifiers, reflects_on_locals
from pytest_jagged.transforms.nesting import MOST_BLOCKS, deepest_block, enclosing_blocks
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.splice import Edit, render_edits
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of

__all__ = ["ForLoopRewriter"]

_PROTOCOL = ("iter", "next", "StopIteration")
# Words with which a module looks at its own (or another's) namespace.
_NAMESPACE = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "__dict__", "getmembers", "_getframe"}
)


class ForLoopRewriter(Splicing):
    """`for T in X: B` → `it = iter(X)`, then `while True:` with `next(it)` in a `try`, then `del`.

    A target that is not a plain name gets its value behind the `try`, by way of a temporary, so
    that a StopIteration from the assignment is not swallowed. Where the iterator could be a
    generator, whose closing can be seen, the loop stands in `try: … finally: del it`, which drops
    it when the `for` would. `else` runs under a flag that every own `break` clears.

    Skipped: `iter`, `next` or `StopIteration` bound around the loop, or a star import; functions
    that look at their own locals or frame; loops in a class with bases, keywords or a look at its
    namespace; module-level loops of a file that looks at namespaces; there, also, an else part
    that jumps; nested blocks near CPython's limit; suites on the header's line; code whose source
    is read. `async for` is another statement.
    """

    name = "for_loop_rewriter"
    APPLIES = (
        Example("def f(xs):\n    for x in xs:\n        print(x)\n", "a loop over anything"),
        Example("def f():\n\tfor i, x in enumerate('ab'):  # why\n\t\tprint(i, x)", "a plain one"),
        Example(
            "def f(rows):\n    for r in rows:\n        for c in r:\n            if c: break\n"
            "        else:\n            break\n    else:\n        return 'all rows ok'\n"
            "    return 'bad row'\n",
            "the break in the inner loop's else belongs to the outer loop",
        ),
        Example(
            "def g():\n    slots, where = [0, 0], iter([0])\n    for slots[next(where)] in 'ab':\n"
            "        pass\n    return slots\n",
            "the target is assigned outside the try",
        ),
        Example("def f(a, b):\n    for x in a, *b:\n        s = '''\n  kept\n'''\n", "a tuple"),
        Example("class A:\n    for k in range(3): \n        pass\n", "a class without bases"),
        Example("for key in 'ab':\n    print(key)\n", "a module without a look at its names"),
    )
    SKIPS = (
        Example(
            "def h(items):\n    for x in items:\n        pass\n    return sorted(locals())\n",
            "looks at its locals",
        ),
        Example("key = None\nfor key in globals():\n    pass\n", "looks at the module"),
        Example("from compat import *\nfor x in y:\n    pass\n", "a star import"),
        Example("class A(B):\n    for k in range(3):\n        pass\n", "a class with a base"),
        Example("def f(next):\n    for x in next:\n        pass\n", "next is bound"),
        Example("async def f(xs):\n    async for x in xs:\n        pass\n", "async for"),
        Example("def f(xs):\n    for x in xs: pass\n", "a suite on the header's line"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        levels: dict[ast.AST, int] = {}
        for node in module.nodes:  # outer before inner
            if not isinstance(node, ast.For):
                continue
            site = site_of(module, node, "for")
            loop = for_loop(module, node)
            around = next((levels[a] for a in module.ancestors(node) if a in levels), 0)
            if loop is None:
                reason: str | None = "suite on the header's line"
            else:
                reason = self._refusal(module, loop, around)
            levels[node] = around + (reason is None and loop is not None and loop.closes)
            yield Found(site, loop) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, loop: ForLoop, around: int) -> str | None:
        node = loop.node
        if not all(is_builtin_at(module, node, name) for name in _PROTOCOL):
            return "iter, next or StopIteration may be shadowed"
        header = enclosing_blocks(module, node) + 4  # finally, while, try and its handler
        if max(header, deepest_block(module, node)) + around + 2 > MOST_BLOCKS:
            return "too many nested blocks"
        return self._namespace(module, node) or refusal(module, loop.body)

    def _namespace(self, module: Module, node: ast.For) -> str | None:
        """Who could see the helper names in the loop's scope."""
        scope = scope_of(module, node)
        if scope.is_function:
            key = ("locals seen", scope.node)
            if key not in module.memo:
                module.memo[key] = "looks at its locals" if reflects_on_locals(scope.node) else None
            return module.memo[key]  # type: ignore[no-any-return]
        if any(isinstance(n, (ast.Break, ast.Continue)) for s in node.orelse for n in walk(s)):
            return "else part that jumps, outside a function"
        if isinstance(scope.node, ast.ClassDef):
            bases = [module.text_of(base) for base in scope.node.bases]
            if scope.node.keywords or bases not in ([], ["object"]):
                return "class whose namespace may be watched"
            return _looking(identifiers(module, scope.node), "the class")
        return _looking(identifiers(module), "the module")

    def rewrite(
        self, module: Module, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> Rewritten:
        known = {f.site: f for f in self._findings(module, target) if isinstance(f, Found)}
        edits: list[Edit] = []
        taken: frozenset[str] = frozenset()
        for site in sorted(sites):
            names = [""] * 3
            for index in range(3):
                names[index] = fresh_name(module, rng, taken)
                taken |= {names[index]}
            edits += _edits(module, site, known[site].payload, *names)
        return Rewritten(*render_edits(module, edits))


def _looking(names: frozenset[str], who: str) -> str | None:
    return f"{who} looks at namespaces" if names & _NAMESPACE else None


def _edits(
    module: Module, site: Site, loop: ForLoop, iterator: str, item: str, flag: str
) -> Iterator[Edit]:
    """The loop's own edit, and one at each of its `break`s, which may stand inside other loops."""
    drop_flag = not scope_of(module, loop.node).is_function
    pieces = loop_pieces(module, loop, iterator, item, flag, drop_flag)
    yield Edit(site, module.start(loop.node), loop.end, tuple(pieces))
    if loop.node.orelse:
        for statement in own_breaks(loop.node.body):
            start = module.start(statement)
            yield Edit(site, start, start, (f"{flag} = False; ",))
