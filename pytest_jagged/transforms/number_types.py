"""Which builtin numbers an expression can evaluate to, as far as the file proves it."""

from __future__ import annotations

import ast

from pytest_jagged.transforms.bindings import Scope, is_builtin_at, resolve, scope_of, scopes
from pytest_jagged.transforms.inference import standard_number
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.scope import own_nodes

__all__ = ["number_types"]

Types = frozenset[str]
_INT: Types = frozenset({"int"})
_BOOL: Types = frozenset({"bool"})
_FLOAT: Types = frozenset({"float"})
_TOWER = ("bool", "int", "float", "complex")
_CALLS = {
    **dict.fromkeys(("len", "ord", "int", "hash", "id"), _INT),
    **dict.fromkeys(("isinstance", "issubclass", "callable", "hasattr", "any", "all"), _BOOL),
    "bool": _BOOL,
    "float": _FLOAT,
    "complex": frozenset({"complex"}),
}
# A bound on work that is the same on every machine.
_MOST_STEPS = 200_000
_DEPTH = 30


def number_types(module: Module, node: ast.expr) -> Types | None:
    """Names among bool, int, float, complex, exact types; None where anything else is possible.

    Assignments are taken in no order: a name has the types of all of its bindings together.
    """
    return _Inference(module).of(node, _DEPTH)


class _Inference:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.steps: dict[str, int] = module.memo.setdefault("number steps", {"left": _MOST_STEPS})
        self.settled: dict[tuple[Scope, str], Types | None] = module.memo.setdefault("numbers", {})
        self.assumed: dict[tuple[Scope, str], Types] = {}

    def of(self, node: ast.expr, depth: int) -> Types | None:
        self.steps["left"] -= 1
        if depth == 0 or self.steps["left"] < 0:
            return None
        if isinstance(node, ast.Constant):
            kind = type(node.value).__name__
            return frozenset({kind}) if kind in _TOWER else None
        if isinstance(node, ast.Name):
            return self._name(node, depth)
        if isinstance(node, ast.Attribute):
            kind = standard_number(self.module, node) or ""
            return frozenset({kind}) if kind else None
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, depth)
        if isinstance(node, ast.BinOp):
            return _combined(node.op, self.of(node.left, depth - 1), self.of(node.right, depth - 1))
        if isinstance(node, ast.IfExp):
            return _union(self.of(node.body, depth - 1), self.of(node.orelse, depth - 1))
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, depth - 1)
        if isinstance(node, ast.Compare):
            return self._compare(node, depth)
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _unary(self, node: ast.UnaryOp, depth: int) -> Types | None:
        if isinstance(node.op, ast.Not):
            return _BOOL
        inner = self.of(node.operand, depth - 1)
        if inner is None or (isinstance(node.op, ast.Invert) and not inner <= {"bool", "int"}):
            return None
        return frozenset("int" if kind == "bool" else kind for kind in inner)

    def _compare(self, node: ast.Compare, depth: int) -> Types | None:
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            return _BOOL
        sides = [self.of(side, depth - 1) for side in (node.left, *node.comparators)]
        return None if None in sides else _BOOL

    def _call(self, node: ast.Call, depth: int) -> Types | None:
        if not isinstance(node.func, ast.Name):
            return None
        name = node.func.id
        if is_builtin_at(self.module, node, name):
            return _CALLS.get(name)
        scope = resolve(scope_of(self.module, node), name)
        bound = [] if scope is None or scope.parent is not None else scope.bound[name]
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return None
        return self._returned(bound[0], depth)

    def _returned(self, function: ast.FunctionDef, depth: int) -> Types | None:
        """What a plain function of the module gives, whatever it is called with."""
        inside = list(own_nodes(function.body))
        if function.decorator_list or any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inside
        ):
            return None
        if not isinstance(function.body[-1], (ast.Return, ast.Raise)):
            return None
        types: Types | None = frozenset()
        for node in inside:
            if isinstance(node, ast.Return):
                given = None if node.value is None else self.of(node.value, depth - 1)
                types = _union(types, given)
        return types or None

    def _name(self, node: ast.Name, depth: int) -> Types | None:
        scope = resolve(scope_of(self.module, node), node.id)
        if scope is None or scope.is_class:
            return None
        key = (scope, node.id)
        if isinstance(scope.bound[node.id][0], ast.alias):
            kind = standard_number(self.module, node)
            return frozenset({kind}) if kind else None
        if key in self.settled:
            return self.settled[key]
        if key in self.assumed:
            return self.assumed[key]
        types = self._fixed_point(key, depth)
        if not self.assumed:  # nothing it was built on is still an assumption
            self.settled[key] = types
        return types

    def _fixed_point(self, key: tuple[Scope, str], depth: int) -> Types | None:
        scope, name = key
        bindings = scope.bound[name]
        if scope.parent is None and len(bindings) != 1:
            return None
        if any(name in other.nonlocal_names for other in scopes(self.module)):
            return None
        types: Types | None = frozenset()
        while types is not None:
            self.assumed[key] = types
            found: Types | None = frozenset()
            for binding in bindings:
                found = _union(found, self._binding(binding, depth - 1))
            if found == types:
                break
            types = found
        del self.assumed[key]
        return types or None

    def _binding(self, node: ast.AST, depth: int) -> Types | None:
        if not isinstance(node, ast.Name):
            return None
        if isinstance(node.ctx, ast.Del):
            return frozenset()
        parent = self.module.parents[node]
        if isinstance(parent, ast.Assign) and node in parent.targets:
            return self.of(parent.value, depth)
        if isinstance(parent, (ast.AnnAssign, ast.NamedExpr)) and parent.value is not None:
            return self.of(parent.value, depth)
        if isinstance(parent, ast.AugAssign):
            return _combined(parent.op, self._name(node, depth), self.of(parent.value, depth))
        if isinstance(parent, (ast.For, ast.comprehension)) and parent.target is node:
            return _INT if self._is_builtin_call(parent.iter, "range") else None
        if isinstance(parent, ast.Tuple):
            return self._unpacked(node, parent, depth)
        return None

    def _unpacked(self, node: ast.Name, target: ast.Tuple, depth: int) -> Types | None:
        statement = self.module.parents[target]
        index = target.elts.index(node)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple):
            values = statement.value.elts
            if any(isinstance(part, ast.Starred) for part in (*values, *target.elts)):
                return None
            return self.of(values[index], depth) if len(values) == len(target.elts) else None
        if isinstance(statement, (ast.For, ast.comprehension)) and index == 0:
            call = statement.iter
            counted = self._is_builtin_call(call, "enumerate")
            if counted and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
                return _INT
        return None

    def _is_builtin_call(self, node: ast.expr, name: str) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == name
            and is_builtin_at(self.module, node, name)
        )


def _union(left: Types | None, right: Types | None) -> Types | None:
    return None if left is None or right is None else left | right


def _combined(op: ast.operator, left: Types | None, right: Types | None) -> Types | None:
    if left is None or right is None:
        return None
    return frozenset().union(*(_result(op, a, b) for a in left for b in right))


def _result(op: ast.operator, left: str, right: str) -> Types:
    widest = max(left, right, key=_TOWER.index)
    if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return _BOOL if left == right == "bool" else _INT
    if isinstance(op, ast.Div):
        return frozenset({"complex"}) if widest == "complex" else _FLOAT
    if isinstance(op, ast.Pow):
        return frozenset({"int", "float", "complex"})
    return _INT if widest == "bool" else frozenset({widest})
