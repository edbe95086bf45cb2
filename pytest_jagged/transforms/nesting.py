"""How deep blocks are nested: CPython compiles at most twenty, on some versions fewer."""

from __future__ import annotations

import ast

from pytest_jagged.transforms.module import Module

__all__ = ["MOST_BLOCKS", "deepest_block", "enclosing_blocks"]

# The limit is 20; what surrounds a block on the stack differs between versions by one or two.
MOST_BLOCKS = 18
_TRY = (ast.Try, getattr(ast, "TryStar", ast.Try))


def enclosing_blocks(module: Module, node: ast.AST) -> int:
    """Loops, `with`s and parts of `try`s around *node*, counted as the greediest version does.

    Functions do not begin anew: their blocks are counted with those around them, which errs on the
    safe side.
    """
    return _depths(module)[node]


def deepest_block(module: Module, node: ast.AST) -> int:
    """The most blocks around anything in *node*, those around *node* itself included."""
    if "deepest block" not in module.memo:
        depths = _depths(module)
        deepest = dict(depths)
        for child in reversed(module.nodes):
            parent = module.parents.get(child)
            if parent is not None:
                deepest[parent] = max(deepest[parent], deepest[child])
        module.memo["deepest block"] = deepest
    return module.memo["deepest block"][node]  # type: ignore[no-any-return]


def _depths(module: Module) -> dict[ast.AST, int]:
    if "block depth" not in module.memo:
        depths: dict[ast.AST, int] = {}
        for node in module.nodes:  # parents come before their children
            parent = module.parents.get(node)
            # `ast` shares operator and context nodes: what they get does not matter.
            depths[node] = 0 if parent is None else depths.get(parent, 0) + _blocks_of(parent, node)
        module.memo["block depth"] = depths
    return module.memo["block depth"]  # type: ignore[no-any-return]


def _blocks_of(parent: ast.AST, child: ast.AST) -> int:
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
        return 1
    if isinstance(parent, (ast.With, ast.AsyncWith)):
        return 2 * len(parent.items)
    if isinstance(parent, ast.ExceptHandler):
        return 2
    if isinstance(parent, _TRY):
        return 1 + bool(parent.finalbody) + (child in parent.finalbody)
    return 0
