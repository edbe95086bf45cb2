"""One form for all programs that an SPT may turn into each other: the inverse of each rewrite.

An SPT's output must have the syntax tree of its input once both are brought to this form. It undoes
what the SPT does wherever it stands, whoever wrote it, and shares no code with the transformations.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

__all__ = ["NORMAL_FORMS", "normal_form"]

KEYWORD = "inert_keyword_7f3a"


class _Blocks(ast.NodeTransformer):
    """Rewrites blocks bottom-up; a block that would be empty gets `pass`."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        raise NotImplementedError

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements:
                setattr(node, field, self.block(statements) or [ast.Pass()])
        return node


class _DeadCode(_Blocks):
    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [s for s in statements if not _is_if_false(s)]


def _is_if_false(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.test, ast.Constant)
        and node.test.value is False
    )


class _DeadStrings(_Blocks):
    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [s for s in statements if not _is_dead_string(s)]


def _is_dead_string(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and node.value.value == KEYWORD
    )


class _Tautologies(_Blocks):
    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.If) and not statement.orelse and _is_true(statement.test):
                result += statement.body
            else:
                result.append(statement)
        return result


def _is_true(test: ast.expr) -> bool:
    """Whether *test* is made of constants and operators only, and true."""
    constant = (
        *(ast.Constant, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare),
        *(ast.boolop, ast.unaryop, ast.operator, ast.cmpop),
    )
    if not all(isinstance(node, constant) for node in ast.walk(test)):
        return False
    code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(test))), "", "eval")
    try:
        return bool(eval(code, {"__builtins__": {}}))
    except (TypeError, ArithmeticError):
        return False  # a condition that always raises, of someone else


class _Negations(ast.NodeTransformer):
    """`not not C` as a condition is C."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._strip(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._strip(node)

    def _strip(self, node: ast.If | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.test = _without_double(node.test)
        return node


def _without_double(test: ast.expr) -> ast.expr:
    while _is_not(test) and _is_not(test.operand):  # type: ignore[attr-defined]
        test = test.operand.operand  # type: ignore[attr-defined]
    return test


def _is_not(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


class _Switches(ast.NodeTransformer):
    """With an else part, the condition is never a negation."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._switch(node) if node.orelse else self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._switch(node)

    def _switch(self, node: ast.If | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        while isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            node.test = node.test.operand
            node.body, node.orelse = node.orelse, node.body
        return node


class _Conjunctions(ast.NodeTransformer):
    """An `if` that holds only an `if` with the same else part is one `if`; flat conjunctions."""

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        inner = node.body[0]
        if len(node.body) == 1 and isinstance(inner, ast.If) and _same(inner.orelse, node.orelse):
            test = ast.BoolOp(ast.And(), [*_conjuncts(node.test), *_conjuncts(inner.test)])
            return ast.If(test, inner.body, node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.And):
            node.values = _conjuncts(node)
        return node


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjuncts(value)]
    return [test]


def _same(left: list[ast.stmt], right: list[ast.stmt]) -> bool:
    return [ast.dump(node) for node in left] == [ast.dump(node) for node in right]


class _Comparisons(ast.NodeTransformer):
    """Single comparisons point to the left."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            mirrored = ast.Lt() if isinstance(node.ops[0], ast.Gt) else ast.LtE()
            return ast.Compare(node.comparators[0], [mirrored], [node.left])
        return node


class _Literals(ast.NodeTransformer):
    """Sums of two literals are one."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = node.left, node.right
        if (
            isinstance(node.op, ast.Add)
            and isinstance(left, ast.Constant)
            and isinstance(right, ast.Constant)
            and isinstance(left.value, str)
            and isinstance(right.value, str)
        ):
            return ast.Constant(left.value + right.value)
        return node


NORMAL_FORMS: dict[str, Callable[[], ast.NodeTransformer]] = {
    "if_else_switcher": _Switches,
    "and_condition_splitter": _Conjunctions,
    "comparison_swapper": _Comparisons,
    "double_negation_injector": _Negations,
    "string_literal_splitter": _Literals,
    "if_true_wrapper": _Tautologies,
    "dead_code_injector": _DeadCode,
    "dead_string_assignment": _DeadStrings,
}


def normal_form(source: str | bytes, spt: str) -> str:
    """The dump of the tree of *source*, with what *spt* does undone."""
    tree: ast.AST = ast.parse(source)
    return ast.dump(NORMAL_FORMS[spt]().visit(tree))
