"""Identifiers of a module: what is bound, what is taken, and new ones that look like its own."""

from __future__ import annotations

import ast
import builtins
import keyword
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import children, walk

__all__ = [
    "fresh_name",
    "identifiers",
    "identifiers_of",
    "is_builtin_here",
    "reflects_on_locals",
    "words_of",
]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WORD = re.compile(r"[a-z]{3,12}")
_FALLBACK_WORDS = ("value", "result", "state", "count", "entry", "index", "total", "offset")
_SUFFIXES = ("value", "count", "state", "flag", "index", "entry", "total", "info", "cache", "limit")
# Every way a function can look at its own local names.
_REFLECTION = frozenset(
    {
        "locals",
        "vars",
        "dir",
        "eval",
        "exec",
        "execfile",
        "_getframe",
        "currentframe",
        "stack",
        "trace",
        "getouterframes",
        "walk_stack",
        "walk_tb",
        "_current_frames",
        "capture_locals",
        "getinnerframes",
        "f_locals",
        "tb_frame",
        "gi_frame",
        "cr_frame",
        "settrace",
        "setprofile",
        "__code__",
        "co_varnames",
        "getclosurevars",
        "set_trace",
        "breakpoint",
    }
)


def _name_fields(kind: type[ast.AST]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    fields = kind._fields
    one = tuple(f for f in ("id", "attr", "arg", "name", "asname", "rest") if f in fields)
    return one, tuple(f for f in ("names", "kwd_attrs") if f in fields)


_NAME_FIELDS = {
    kind: fields
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and any(fields := _name_fields(kind))
}


def identifiers_of(node: ast.AST) -> Sequence[str]:
    """Every name that *node* itself (not its children) mentions or binds."""
    fields = _NAME_FIELDS.get(node.__class__)
    if fields is None:
        return ()
    found: list[str] = []
    for field in fields[0]:
        value = getattr(node, field, None)
        if isinstance(value, str):
            found += value.split(".")
    for field in fields[1]:
        found += [value for value in getattr(node, field, ()) if isinstance(value, str)]
    return found


def identifiers(module: Module, root: ast.AST | None = None) -> frozenset[str]:
    """All names in *root* (default: the module), nested scopes included."""
    key = ("identifiers", root)
    if key not in module.memo:
        nodes = module.nodes if root is None else walk(root)
        module.memo[key] = frozenset(name for node in nodes for name in identifiers_of(node))
    return module.memo[key]  # type: ignore[no-any-return]


def is_builtin_here(module: Module, name: str) -> bool:
    """Whether *name* can only mean the builtin: bound nowhere in the file, no star import."""
    if "bound" not in module.memo:
        module.memo["bound"] = frozenset(_bound(module))
    bound = module.memo["bound"]
    return name not in bound and "*" not in bound


def _bound(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]
        elif not isinstance(node, (ast.Attribute, ast.keyword)):
            yield from identifiers_of(node)


def reflects_on_locals(function: ast.AST) -> bool:
    """Whether code directly in *function* may look at the names of its own frame.

    Comprehensions and lambdas count as its own; functions and classes inside it do not, unless they
    are asked for their frame's caller.
    """
    pending = children(function)
    while pending:
        node = pending.pop()
        if any(name in _REFLECTION for name in identifiers_of(node)):
            return True
        pending.extend(children(node))
    return False


def fresh_name(module: Module, rng: random.Random, taken: frozenset[str] = frozenset()) -> str:
    """A name that occurs nowhere in the file (nor in *taken*), made of words that do."""
    known = identifiers(module) | taken
    words = words_of(module)
    for attempt in range(1000):
        name = f"{rng.choice(words)}_{rng.choice(_SUFFIXES)}"
        if attempt >= 50:
            name += f"_{rng.randrange(100 + attempt)}"
        if name not in known and not keyword.iskeyword(name) and not hasattr(builtins, name):
            return name
    raise AssertionError("a thousand names were taken")


def words_of(module: Module) -> list[str]:
    """The file's frequent words, a stable list."""
    if "words" not in module.memo:
        counts: Counter[str] = Counter()
        for name in sorted(identifiers(module)):
            counts.update(_WORD.findall(name.lower()))
        ranked = sorted(counts, key=lambda word: (-counts[word], word))[:40]
        module.memo["words"] = ranked + list(_FALLBACK_WORDS)
    return module.memo["words"]  # type: ignore[no-any-return]
