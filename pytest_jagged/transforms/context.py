"""Where in a module code may not be touched, whatever the transformation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import walk

__all__ = ["forbidden_context", "reads_source"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SOURCE_READERS = frozenset({"getsource", "getsourcelines", "findsource", "getblock"})
# Decorators that compile a function from its source or its syntax (numba, triton, torch, …).
_COMPILERS = frozenset(
    {"vectorize", "guvectorize", "stencil", "script", "kernel", "autograph", "to_graph"}
)


def forbidden_context(module: Module, node: ast.AST) -> str | None:
    """Why *node* may not be rewritten because of where it stands; None if it may.

    Inside f-strings positions are unreliable before Python 3.12 and `=` shows the text;
    annotations may be read as text; patterns are no expressions; sources may be read.
    """
    reason = _regions(module).get(node)
    if reason is not None:
        return reason
    return "source is read" if reads_source(module, node) else None


def _regions(module: Module) -> dict[ast.AST, str]:
    if "regions" not in module.memo:
        regions: dict[ast.AST, str] = {}
        for reason, root in _region_roots(module):
            for node in walk(root):
                regions.setdefault(node, reason)
        module.memo["regions"] = regions
    return module.memo["regions"]  # type: ignore[no-any-return]


def _region_roots(module: Module) -> Iterator[tuple[str, ast.AST]]:
    for node in module.nodes:
        if isinstance(node, ast.JoinedStr):
            yield "inside an f-string", node
        elif isinstance(node, ast.pattern):
            yield "inside a match pattern", node
        elif type(node).__name__ in ("TemplateStr", "TypeAlias", "TypeVar", "ParamSpec"):
            yield "inside a template or a type", node
        annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if isinstance(annotation, ast.AST):
            yield "inside an annotation", annotation


def reads_source(module: Module, node: ast.AST) -> bool:
    """Whether *node* is in a function or class whose decorators or body read source text."""
    readers = _readers(module)
    return bool(readers) and (
        node in readers or any(ancestor in readers for ancestor in module.ancestors(node))
    )


def _readers(module: Module) -> frozenset[ast.AST]:
    if "source_readers" not in module.memo:
        module.memo["source_readers"] = frozenset(_find_readers(module))
    return module.memo["source_readers"]  # type: ignore[no-any-return]


def _find_readers(module: Module) -> Iterator[ast.AST]:
    for node in module.nodes:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and any(
            _compiles_source(decorator) for decorator in node.decorator_list
        ):
            yield node
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
        if name in _SOURCE_READERS:
            yield from (a for a in module.ancestors(node) if isinstance(a, _FUNCTIONS))


def _compiles_source(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name.endswith("jit") or name in _COMPILERS
