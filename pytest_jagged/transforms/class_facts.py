"""What one file says about its classes and about attributes that are looked up by name."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.bindings import resolve, scope_of
from pytest_jagged.transforms.module import Module, parse_module
from pytest_jagged.transforms.names import identifiers_of
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.source import decode_source

__all__ = ["LOCAL", "Base", "ClassFacts", "FileFacts", "class_facts", "file_facts"]

LOCAL = "."
_FILES_KEPT = 8192
_CONTROLS = frozenset(
    {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__dir__"}
    | {"__init_subclass__", "__class_getitem__", "__subclasshook__"}
)
# These look at fields and dunder methods only.
_HARMLESS_DECORATORS = frozenset({"dataclass", "total_ordering", "final", "unique"})
_STRUCTURAL = frozenset({"Protocol", "ABC"})
_LOOKUPS = frozenset({"getattr", "hasattr", "attrgetter", "methodcaller", "delattr", "setattr"})
_NAMES = re.compile(r"[\w\s.,|/:-]{1,200}")
_HOLE = re.compile(r"%\(?\w*\)?[-#0 +]*\d*[sdr]|\{[^{}]*\}")
_PREFIX, _SUFFIX = re.compile(r"[A-Za-z_]\w*_"), re.compile(r"_\w*[A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class Base:
    """A base by its last name; `origin` is `.` for this file or package, `builtins`, the top-level
    package that it is imported from, or None where that cannot be told."""

    name: str
    origin: str | None


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """`open`: no keyword, decorator or method decides what attributes of the class mean."""

    name: str
    bases: tuple[Base, ...]
    mentioned: frozenset[str]
    open: bool


@dataclass(frozen=True, slots=True)
class FileFacts:
    """`words`, `prefixes`, `suffixes`: names that strings of the file may spell, whole or in part.

    `watched` are attributes set from outside a class, read where AttributeError is expected, or
    required by a protocol; `aliases` are other names of a class, by its name.
    """

    by_name: dict[str, tuple[ClassFacts, ...]]
    by_base: dict[str, tuple[ClassFacts, ...]]
    aliases: dict[str, frozenset[str]]
    words: frozenset[str]
    prefixes: frozenset[str]
    suffixes: frozenset[str]
    watched: frozenset[str]


@lru_cache(maxsize=_FILES_KEPT)
def file_facts(source: bytes) -> FileFacts | None:
    """None for bytes that are not Python; remembered by content."""
    try:
        return _collect(parse_module(decode_source(source)))
    except TransformError:
        return None


def class_facts(module: Module, node: ast.ClassDef) -> ClassFacts:
    mentioned = {name for part in walk(node) for name in identifiers_of(part)}
    mentioned |= {text for part in walk(node) for text in _slots(part)}
    controls = any(
        getattr(statement, "name", None) in _CONTROLS
        or any(isinstance(n, ast.Name) and n.id in _CONTROLS for n in _targets(statement))
        for statement in node.body
    )
    harmless = all(_last_name(d) in _HARMLESS_DECORATORS for d in node.decorator_list)
    bases = tuple(_base(module, node, base) for base in node.bases)
    return ClassFacts(
        node.name, bases, frozenset(mentioned), not node.keywords and harmless and not controls
    )


def _slots(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == "__slots__" for t in node.targets
    ):
        for part in walk(node.value):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield from part.value.replace(",", " ").split()


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _last_name(node: ast.expr) -> str:
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _base(module: Module, node: ast.ClassDef, base: ast.expr) -> Base:
    while isinstance(base, ast.Subscript):
        base = base.value
    root = base
    while isinstance(root, ast.Attribute):
        root = root.value
    name = _last_name(base)
    if not isinstance(root, ast.Name):
        return Base(name, None)
    scope = resolve(scope_of(module, node), root.id)
    if scope is None:
        return Base(name, "builtins" if hasattr(builtins, root.id) and base is root else None)
    bound = scope.bound[root.id]
    if len(bound) != 1:
        return Base(name, None)
    if isinstance(bound[0], ast.ClassDef):
        return Base(name, LOCAL)
    statement = module.parents.get(bound[0])
    if isinstance(statement, ast.ImportFrom) and isinstance(bound[0], ast.alias):
        top = (statement.module or "").split(".")[0]
        return Base(bound[0].name if base is root else name, LOCAL if statement.level else top)
    if isinstance(statement, ast.Import) and isinstance(bound[0], ast.alias):
        return Base(name, bound[0].name.split(".")[0])
    return Base(name, None)


def _collect(module: Module) -> FileFacts:
    by_name: dict[str, list[ClassFacts]] = {}
    by_base: dict[str, list[ClassFacts]] = {}
    aliases: dict[str, set[str]] = {}
    watched: set[str] = set()
    texts = _Texts(module)
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            facts = class_facts(module, node)
            by_name.setdefault(node.name, []).append(facts)
            words = {n for b in node.bases for part in walk(b) for n in identifiers_of(part)}
            for word in sorted(words | {base.name for base in facts.bases}):
                by_base.setdefault(word, []).append(facts)
            if _STRUCTURAL & {base.name for base in facts.bases}:
                watched |= facts.mentioned
        elif isinstance(node, ast.alias) and node.asname:
            aliases.setdefault(node.name, set()).add(node.asname)
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            aliases.setdefault(_last_name(node.value), set()).update(names)
        else:
            watched.update(_watched(node))
            texts.visit(node)
    return FileFacts(
        {name: tuple(found) for name, found in by_name.items()},
        {name: tuple(found) for name, found in by_base.items()},
        {name: frozenset(found) for name, found in aliases.items()},
        frozenset(texts.words),
        frozenset(texts.prefixes),
        frozenset(texts.suffixes),
        frozenset(watched),
    )


def _watched(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.Try) and any(
        handler.type is not None
        and "AttributeError" in {n for part in walk(handler.type) for n in identifiers_of(part)}
        for handler in node.handlers
    ):
        for statement in node.body:
            for part in walk(statement):
                if isinstance(part, ast.Attribute):
                    yield part.attr


class _Texts:
    """Names that strings spell; docstrings aside, and strings that are cut by `+` put together."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.words: set[str] = set()
        self.prefixes: set[str] = set()
        self.suffixes: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if not isinstance(self.module.parents.get(node), ast.Expr):
                self._text(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            joined = _joined(node)
            if joined is not None:
                self._text(joined)
        elif isinstance(node, ast.Call) and _last_name(node.func) in _LOOKUPS:
            self._lookup(node)

    def _text(self, text: str) -> None:
        if _NAMES.fullmatch(text):
            self.words.update(re.findall(r"\w+", text))
        for piece in _HOLE.split(text):
            if _PREFIX.fullmatch(piece):
                self.prefixes.add(piece)
            elif _SUFFIX.fullmatch(piece):
                self.suffixes.add(piece)

    def _lookup(self, call: ast.Call) -> None:
        """`getattr(x, "on" + name)`: what the computed name begins with."""
        for argument in call.args:
            first: ast.expr = argument
            while isinstance(first, ast.BinOp):
                first = first.left
            if isinstance(first, ast.JoinedStr) and first.values:
                first = first.values[0]
            if first is not argument and isinstance(first, ast.Constant):
                piece = _HOLE.split(str(first.value))[0]
                self.prefixes.update({piece} - {""})


def _joined(node: ast.expr, depth: int = 8) -> str | None:
    """The value of a sum of string literals."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add) or depth == 0:
        return None
    left, right = _joined(node.left, depth - 1), _joined(node.right, depth - 1)
    return None if left is None or right is None else left + right
