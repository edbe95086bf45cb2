"""What astroid knows about constants that a file takes from the standard library."""

from __future__ import annotations

import ast
import sys

from pytest_jagged.transforms.bindings import resolve, scope_of
from pytest_jagged.transforms.module import Module

__all__ = ["standard_number"]

# Work is bounded by counts, never by the clock: results must not depend on the machine.
_MOST_CHARACTERS = 400_000
_MOST_QUERIES = 100
_NUMBERS = {"bool": bool, "int": int, "float": float, "complex": complex}


def standard_number(module: Module, node: ast.Name | ast.Attribute) -> str | None:
    """The type's name if *node* is a number of a standard library module, such as `math.pi`.

    Only the standard library is asked: what else is installed differs between machines. The whole
    file is given to astroid, so that the name means what it means there.
    """
    root = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(root, ast.Name) or not _from_standard_library(module, root):
        return None
    asked = module.memo.setdefault("astroid queries", {})
    key = ast.unparse(node), resolve(scope_of(module, root), root.id)
    if key not in asked:
        if len(asked) >= _MOST_QUERIES or len(module.text) > _MOST_CHARACTERS:
            return None
        asked[key] = _infer(module, node)
    return asked[key]  # type: ignore[no-any-return]


def _from_standard_library(module: Module, name: ast.Name) -> bool:
    scope = resolve(scope_of(module, name), name.id)
    bound = [] if scope is None else scope.bound[name.id]
    if len(bound) != 1 or not isinstance(bound[0], ast.alias):
        return False
    statement = module.parents.get(bound[0])
    if isinstance(statement, ast.ImportFrom):
        source = "" if statement.level else statement.module or ""
    else:
        source = bound[0].name
    return source.split(".")[0] in sys.stdlib_module_names


def _infer(module: Module, node: ast.Name | ast.Attribute) -> str | None:
    import astroid
    from astroid import nodes
    from astroid.exceptions import AstroidError

    try:
        if "astroid tree" not in module.memo:
            module.memo["astroid tree"] = astroid.parse(module.text, path=module.path)
        kind = nodes.Attribute if isinstance(node, ast.Attribute) else nodes.Name
        place = (node.lineno, node.col_offset, node.end_col_offset)
        for found in module.memo["astroid tree"].nodes_of_class(kind):
            if (found.lineno, found.col_offset, found.end_col_offset) == place:
                values = found.inferred()
                break
        else:
            return None
    except (AstroidError, RecursionError):
        return None
    kinds = {
        type(value.value).__name__ if isinstance(value, nodes.Const) else "" for value in values
    }
    (only,) = kinds if len(kinds) == 1 else ("",)
    return only if only in _NUMBERS else None
