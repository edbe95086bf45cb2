"""Iterables whose iterator does nothing that can be seen when it is dropped."""

from __future__ import annotations

import ast

from pytest_jagged.transforms.bindings import is_builtin_at, resolve, scope_of
from pytest_jagged.transforms.module import Module

__all__ = ["is_plain_iterable"]

_DISPLAYS = (
    *(ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr),
)
_CONTAINERS = frozenset(
    {"range", "sorted", "list", "tuple", "set", "frozenset", "dict", "str", "bytes", "bytearray"}
)
_WRAPPERS = frozenset({"enumerate", "zip", "reversed", "iter"})


def is_plain_iterable(module: Module, node: ast.expr, depth: int = 5) -> bool:
    """Whether *node* is certainly a builtin container, or builtin wrappers around such.

    A generator runs its `finally` when it is dropped; of anything unknown it is assumed.
    """
    if depth == 0:
        return False
    if isinstance(node, _DISPLAYS):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    if isinstance(node, ast.IfExp):
        return all(is_plain_iterable(module, arm, depth - 1) for arm in (node.body, node.orelse))
    if isinstance(node, ast.Name):
        return _is_plain_name(module, node, depth)
    return isinstance(node, ast.Call) and _is_plain_call(module, node, depth)


def _is_plain_call(module: Module, node: ast.Call, depth: int) -> bool:
    function = node.func
    if isinstance(function, ast.Attribute):  # a method of a literal string: "a b".split()
        base = function.value
        return isinstance(base, ast.Constant) and isinstance(base.value, (str, bytes))
    if not isinstance(function, ast.Name) or not is_builtin_at(module, node, function.id):
        return False
    if function.id in _CONTAINERS:
        return True
    return function.id in _WRAPPERS and all(
        is_plain_iterable(module, argument, depth - 1) for argument in node.args
    )


def _is_plain_name(module: Module, node: ast.Name, depth: int) -> bool:
    """Whether every binding of the name in its scope is an assignment of such an iterable."""
    scope = resolve(scope_of(module, node), node.id)
    if scope is None or scope.is_class:
        return False
    for binding in scope.bound[node.id]:
        statement = module.parents.get(binding)
        if not (
            isinstance(statement, ast.Assign)
            and binding in statement.targets
            and is_plain_iterable(module, statement.value, depth - 1)
        ):
            return False
    return True
