"""Commutative Operand Permuter."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_jagged.contracts.transformation import Site, SkippedSite
from pytest_jagged.transforms.bindings import resolve, scope_of, scopes
from pytest_jagged.transforms.condition import stripped
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.number_types import number_types
from pytest_jagged.transforms.splice import Edit, Piece, Span
from pytest_jagged.transforms.splicing import (
    Example,
    Finding,
    Found,
    Splicing,
    expression_edit,
    site_of,
)
from pytest_jagged.transforms.suite import find_token

__all__ = ["CommutativeOperandPermuter"]

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_WHOLE = frozenset({"bool", "int"})
_NUMBERS = _WHOLE | {"float", "complex"}
_ATOMS = (ast.Constant, ast.Name, ast.Call, ast.Attribute, ast.Subscript)
_EXACT = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Operands:
    node: ast.BinOp
    left: tuple[int, int]
    right: tuple[int, int]


class CommutativeOperandPermuter(Splicing):
    """`A op B` → `B op A` for `+ * & | ^` on builtin numbers.

    Both operands must be proved to be exactly bool, int, float or complex (`& | ^`: bool or int),
    from the file and the standard library's constants; sets are never permuted. One operand's
    evaluation must be inert: a literal, a parameter or local that is bound for certain, or whole
    number arithmetic of these; then the order of evaluation cannot be seen. Operands of more than
    an atom get parentheses, so that nothing is associated anew. Skipped: all else; comments inside.
    """

    name = "commutative_operand_permuter"
    APPLIES = (
        Example("def f(xs):\n    return len(xs) + 1\n", "a builtin that gives an int"),
        Example("x = 7 // 2 * 2\ny = 10 % 3 * 4\n", "equal precedence: parentheses"),
        Example("x = 0.1 + 0.2 + 0.3\n", "a sum of floats keeps its association"),
        Example(
            "def f(n):\n    for i in range(n):\n        i = i*2+-1\n    return(i)\n", "a counter"
        ),
        Example("import math\nx = 2 * math.pi\n", "a constant of the standard library"),
        Example("x = 3|4 if y else 5\n", "bits"),
    )
    SKIPS = (
        Example("def f(a, b):\n    return a + b\n", "unknown types"),
        Example("x = 'a' + 'b'\n", "strings"),
        Example("x = frozenset(a) | set(b)\ny = {1} | {True}\n", "sets"),
        Example("x = int(a) + int(b)\n", "two calls: their order can be seen"),
        Example("def int(x): return str(x)\ny = int(1) + 2\n", "int is shadowed"),
        Example("from lib import *\nx = len(a) + 1\n", "a star import"),
        Example("def f(x=1):\n    return x + 2\n", "a default is no type"),
        Example(
            "def f(c):\n    x = 1\n    while c():\n        y = x + 1\n        x = 'a'\n",
            "a later binding",
        ),
        Example("x = f'{1 + 2}'\n", "inside an f-string"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, ast.BinOp) or type(node.op) not in _SIGNS:
                continue
            site = _site(module, node)
            reason = _refusal(module, node)
            if reason is None:
                yield Found(site, _operands(module, node))
            else:
                yield SkippedSite(site, reason)

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        operands: _Operands = found.payload
        node = operands.node
        between = Span(operands.left[1], operands.right[0])
        pieces = (
            *_operand(module, node.right, operands.right),
            between,
            *_operand(module, node.left, operands.left),
        )
        return expression_edit(module, found.site, *module.span(node), pieces)


def _refusal(module: Module, node: ast.BinOp) -> str | None:
    allowed = _NUMBERS if isinstance(node.op, (ast.Add, ast.Mult)) else _WHOLE
    for operand in (node.right, node.left):
        types = number_types(module, operand)
        if types is None or not types <= allowed:
            return "operand not known to be a number"
    if not (_is_inert(module, node.left, _DEPTH) or _is_inert(module, node.right, _DEPTH)):
        return "order of evaluation could be seen"
    if module.has_comment(*module.span(node)):
        return "comment inside"
    return forbidden_context(module, node)


def _is_inert(module: Module, node: ast.expr, depth: int) -> bool:
    """Whether evaluating a number *node* can neither raise, nor do, nor notice anything."""
    if depth == 0:
        return False
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return _is_bound(module, node)
    if number_types(module, node) is None:
        return False
    if isinstance(node, ast.UnaryOp):
        return _is_inert(module, node.operand, depth - 1)
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, _EXACT)
        and all(
            (number_types(module, side) or {"float"}) <= _WHOLE
            and _is_inert(module, side, depth - 1)
            for side in (node.left, node.right)
        )
    )


def _is_bound(module: Module, node: ast.Name) -> bool:
    """Whether a local is bound wherever *node* is reached: assigned before, in a block around."""
    scope = scope_of(module, node)
    if not scope.is_function or resolve(scope, node.id) is not scope:
        return False
    bindings = scope.bound[node.id]
    if any(isinstance(getattr(binding, "ctx", None), ast.Del) for binding in bindings):
        return False
    if any(node.id in other.nonlocal_names for other in scopes(module)):
        return False
    around: ast.AST = node
    for ancestor in module.ancestors(node):
        if isinstance(ancestor, (ast.For, ast.AsyncFor)) and (
            around in ancestor.body and _binds_target(ancestor, bindings)
        ):
            return True
        for field in ("body", "orelse", "finalbody"):
            block = getattr(ancestor, field, None)
            if isinstance(block, list) and around in block:
                before = block[: block.index(around)]
                if any(_assigns(statement, bindings) for statement in before):
                    return True
        if ancestor is scope.node:
            break
        around = ancestor
    return False


def _binds_target(loop: ast.For | ast.AsyncFor, bindings: list[ast.AST]) -> bool:
    return any(part in bindings for part in walk(loop.target))


def _assigns(statement: ast.stmt, bindings: list[ast.AST]) -> bool:
    return isinstance(statement, ast.Assign) and any(t in bindings for t in statement.targets)


def _site(module: Module, node: ast.BinOp) -> Site:
    """The place of the operator: the operations of a chain all begin where the chain does."""
    sign = _SIGNS[type(node.op)]
    at = find_token(module, sign, module.end(node.left), module.start(node.right))
    if at < 0:  # positions inside f-strings are unreliable before Python 3.12
        return site_of(module, node, sign)
    line, column = module.source.line_of(at), at - module.source.line_start(at)
    assert node.end_lineno is not None
    return Site(line, column, node.end_lineno, sign)


def _operands(module: Module, node: ast.BinOp) -> _Operands:
    start, end = module.span(node)
    sign = _SIGNS[type(node.op)]
    at = find_token(module, sign, module.end(node.left), module.start(node.right))
    return _Operands(node, stripped(module, start, at), stripped(module, at + len(sign), end))


def _operand(module: Module, node: ast.expr, span: tuple[int, int]) -> tuple[Piece, ...]:
    """With the parentheses it has, or with new ones if it is more than an atom without any."""
    if isinstance(node, _ATOMS) or span != module.span(node):
        return (Span(*span),)
    return ("(", Span(*span), ")")
