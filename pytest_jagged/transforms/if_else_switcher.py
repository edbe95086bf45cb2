"""If Else Switcher."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.condition import condition_span, else_parts, stripped
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import reflects_on_locals
from pytest_jagged.transforms.scope import binds_names, declares_scope
from pytest_jagged.transforms.splice import Edit, Span
from pytest_jagged.transforms.splicing import (
    Example,
    Finding,
    Found,
    Splicing,
    expression_edit,
    site_of,
)

__all__ = ["IfElseSwitcher"]


class IfElseSwitcher(Splicing):
    """`if C: A else: B` → `if not (C): B else: A`, also for an `elif` that owns an `else`, and
    `A if C else B` → `(B) if not (C) else (A)`.

    Skipped: an `if` whose else part is an `elif`; `global` or `nonlocal` in a branch (its place in
    the text matters to the other branch); names bound in a branch of a function that looks at its
    locals (their order is that of the text); a conditional expression that holds a comment.
    """

    name = "if_else_switcher"
    APPLIES = (
        Example("if a:\n    x = 1\nelse:\n    x = 2\n", "a statement"),
        Example(
            "if(a):  # why\n    x = 1\n# so\nelse:  # not\n    x = 2", "comments, no last newline"
        ),
        Example("if a: x = 1\nelse: x = 2\n", "one-line suites"),
        Example(
            "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3\n", "the elif owns the else"
        ),
        Example("x = 1 if(t)else 2\n", "a conditional expression without blanks"),
        Example("def f(a):\n    return(a)if a else[a]\n", "touching a keyword"),
        Example("f = lambda a: (yield) if a else (b := 1)\n", "arms that need parentheses"),
    )
    SKIPS = (
        Example("if a:\n    x = 1\nelif b:\n    x = 2\n", "no else of its own"),
        Example(
            "def f(a):\n    if a:\n        global x\n        x = 1\n    else:\n        x = 2\n",
            "a global declaration in a branch",
        ),
        Example(
            "def f(a):\n    if a:\n        x = y = 1\n    else:\n        y = x = 2\n"
            "    return list(locals())\n",
            "the order of local names is seen",
        ),
        Example("x = f'{1 if a else 2}'\n", "inside an f-string"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if isinstance(node, ast.IfExp):
                site = site_of(module, node, "expression")
                reason = self._refuse_expression(module, node)
            elif isinstance(node, ast.If) and node.orelse:
                if else_parts(module, node) is None:
                    continue
                site = site_of(module, node, "statement")
                reason = self._refuse_statement(module, node)
            else:
                continue
            yield Found(site, node) if reason is None else SkippedSite(site, reason)

    def _refuse_statement(self, module: Module, node: ast.If) -> str | None:
        if declares_scope([*node.body, *node.orelse]):
            return "global or nonlocal in a branch"
        if _order_is_seen(module, node, [*node.body, *node.orelse]):
            return "order of local names is seen"
        return forbidden_context(module, node)

    def _refuse_expression(self, module: Module, node: ast.IfExp) -> str | None:
        if module.has_comment(*module.span(node)):
            return "comment inside"
        if _order_is_seen(module, node, [node.body, node.test, node.orelse]):
            return "order of local names is seen"
        return forbidden_context(module, node)

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        node = found.payload
        if isinstance(node, ast.IfExp):
            arms = [Span(*module.span(part)) for part in (node.orelse, node.test, node.body)]
            pieces = ("(", arms[0], ") if not (", arms[1], ") else (", arms[2], ")")
            return expression_edit(module, found.site, *module.span(node), pieces)
        return self._edit_statement(module, found, node)

    def _edit_statement(self, module: Module, found: Found, node: ast.If) -> Edit:
        """Each suite moves from behind its colon, with the comments on and above its lines."""
        start, colon = condition_span(module, node)
        parts = else_parts(module, node)
        assert parts is not None
        else_line = module.source.line_start(parts.keyword)
        end = module.source.line_end(module.end(node.orelse[-1]))
        newline = "" if module.text[end - 1] in "\r\n" else module.source.newline
        body = module.text[colon + 1 : else_line]
        last = Span(colon + 1, else_line)
        if newline:  # the file's last line has no line end; the new last line shall have none
            last = Span(colon + 1, colon + 1 + len(body.rstrip("\r\n")))
        return Edit(
            found.site,
            start,
            end,
            (
                " not (",
                Span(*stripped(module, start, colon)),
                "):",
                Span(parts.colon + 1, end),
                newline,
                Span(else_line, parts.colon + 1),
                last,
            ),
        )


def _order_is_seen(module: Module, node: ast.AST, parts: Sequence[ast.AST]) -> bool:
    """Whether *parts* bind names of a function that may list its names.

    A class or module lists them in the order of execution.
    """
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    scope = next((a for a in module.ancestors(node) if isinstance(a, scopes)), None)
    if scope is None or isinstance(scope, ast.ClassDef):
        return False
    return reflects_on_locals(scope) and binds_names(parts)
