"""Questions about scopes that several transformations ask."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import children

__all__ = ["SCOPES", "binds_names", "declares_scope", "enclosing_function", "own_nodes"]

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own_nodes(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """*roots* and what is below them, nested functions, lambdas and classes not entered."""
    pending = list(roots)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending.extend(children(node))


def declares_scope(statements: Iterable[ast.stmt]) -> bool:
    """Whether a `global` or `nonlocal` stands in *statements*: its place in the text matters."""
    return any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in own_nodes(statements))


def binds_names(roots: Iterable[ast.AST]) -> bool:
    """Whether code in *roots* binds a name of the scope they stand in."""
    binders = (ast.alias, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)
    return any(
        isinstance(node, (*binders, ast.pattern))
        or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        for node in own_nodes(roots)
    )


def enclosing_function(
    module: Module, node: ast.AST
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function whose scope *node* is directly in; None in a class, lambda or the module."""
    for ancestor in module.ancestors(node):
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ancestor
        if isinstance(ancestor, SCOPES):
            return None
    return None
