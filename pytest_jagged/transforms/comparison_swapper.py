"""Comparison Swapper."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.condition import stripped
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import is_builtin_here
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.scope import enclosing_function
from pytest_jagged.transforms.splice import Edit, Span
from pytest_jagged.transforms.splicing import (
    Example,
    Finding,
    Found,
    Splicing,
    expression_edit,
    site_of,
)
from pytest_jagged.transforms.suite import find_token

__all__ = ["ComparisonSwapper"]

_MIRROR: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">"),
    ast.Gt: (">", "<"),
    ast.LtE: ("<=", ">="),
    ast.GtE: (">=", "<="),
}


class ComparisonSwapper(Splicing):
    """`A < B` → `B > A` for one comparison with <, >, <= or >=.

    One operand must be a plain literal (integer, string, bytes, or a tuple of them): it evaluates
    to the same whenever it is evaluated, and its comparison hands over to the other operand's own
    method, which is then called as before (a float's does not, if the other's class derives from
    int). Or one is `len(...)` and the other a parameter of the function, which cannot fail. Else
    order of evaluation, exceptions or overloads could be seen. Skipped: comments inside.
    """

    name = "comparison_swapper"
    APPLIES = (
        Example("y = x < 3\n", "a literal on the right"),
        Example("y = -1 <= f(x)\n", "a negative literal on the left"),
        Example("import sys\ny = sys.version_info >= (3, 8)\n", "a tuple of literals"),
        Example("y = not(a) <b'x'if c else 1\n", "words that touch"),
        Example("def f(a, n):\n    return len(a) < n\n", "a length and a parameter"),
        Example("y = (a,) > (1, 2)\n", "a display against literals"),
    )
    SKIPS = (
        Example("y = a < b < 3\n", "a chain"),
        Example("y = next(it) < next(it)\n", "order of evaluation"),
        Example('y = d["a"] < d["b"]\n', "which exception is raised"),
        Example("y = (n := 3) < n\n", "an assignment expression"),
        Example("y = a < b\n", "unknown overloads"),
        Example("def f(a, n):\n    del n\n    return len(a) < n\n", "n may be unbound"),
        Example("def len(x): return x\ndef f(a, n):\n    return len(a) < n\n", "len is another"),
        Example("y = x < 1.5\n", "x may be of a class derived from int, passed over by float"),
        Example("y = x == 3\n", "a symmetric operator"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            if type(node.ops[0]) not in _MIRROR:
                continue
            site = site_of(module, node, "comparison")
            reason = self._refusal(module, node)
            yield Found(site, node) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, node: ast.Compare) -> str | None:
        left, right = node.left, node.comparators[0]
        if not (
            _is_literal(left)
            or _is_literal(right)
            or (_is_length(module, left) and _is_sure(module, right))
            or (_is_length(module, right) and _is_sure(module, left))
        ):
            return "operands of unknown kind"
        reason = forbidden_context(module, node)
        if reason is None and module.has_comment(*module.span(node)):
            return "comment inside"
        return reason

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        node: ast.Compare = found.payload
        old, new = _MIRROR[type(node.ops[0])]
        start, end = module.span(node)
        at = find_token(module, old, module.end(node.left), module.start(node.comparators[0]))
        left = stripped(module, start, at)
        right = stripped(module, at + len(old), end)
        gap = (Span(left[1], at), new, Span(at + len(old), right[0]))
        pieces = (Span(*right), *gap, Span(*left))
        return expression_edit(module, found.site, start, end, pieces)


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return isinstance(node.operand, ast.Constant) and _is_integer(node.operand.value)
    if isinstance(node, ast.Tuple):
        return all(_is_literal(element) for element in node.elts)
    if isinstance(node, ast.Constant):
        return _is_integer(node.value) or isinstance(node.value, (str, bytes))
    return False


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_length(module: Module, node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and is_builtin_here(module, "len")
    )


def _is_sure(module: Module, node: ast.expr) -> bool:
    """A parameter of the enclosing function that nothing but the call binds."""
    if not isinstance(node, ast.Name):
        return False
    function = enclosing_function(module, node)
    if function is None:
        return False
    spec = function.args
    parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    if node.id not in {parameter.arg for parameter in parameters}:
        return False
    return not any(_rebinds(inner, node.id) for inner in walk(function))


def _rebinds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    return isinstance(node, ast.ExceptHandler) and node.name == name
