"""Which scope binds a name: the rules of Python's compiler, for a whole module at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import children

__all__ = ["Scope", "is_builtin_at", "resolve", "scope_of", "scopes"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False, slots=True)
class Scope:
    """A module, class, function, lambda or comprehension with what it binds and mentions.

    `bound` has, per name, the nodes that bind it here (a `del` counts); a name declared `global` is
    bound in the module, by the declaration too. `mentions` are the `Name` nodes in this scope.
    """

    node: ast.AST
    parent: Scope | None
    bound: dict[str, list[ast.AST]] = field(default_factory=dict)
    mentions: list[ast.Name] = field(default_factory=list)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        """Whether this is the body of a `def`."""
        return isinstance(self.node, _FUNCTIONS)

    def binds(self, name: str) -> bool:
        return (
            name in self.bound and name not in self.global_names and name not in self.nonlocal_names
        )


def scopes(module: Module) -> list[Scope]:
    """All scopes, the module first, outer before inner."""
    return _analysis(module).scopes


def scope_of(module: Module, node: ast.AST) -> Scope:
    """The scope in which *node* is evaluated; of a `def` or class, the one around it."""
    return _analysis(module).owner[node]


def resolve(scope: Scope, name: str) -> Scope | None:
    """The scope whose *name* is meant in *scope*; None for a builtin or a name bound nowhere."""
    current: Scope | None = scope
    while current is not None:
        if name in current.global_names:
            while current.parent is not None:
                current = current.parent
            return current if name in current.bound else None
        visible = current is scope or not current.is_class
        if visible and current.binds(name):
            return current
        current = current.parent
    return None


def is_builtin_at(module: Module, node: ast.AST, name: str) -> bool:
    """Whether *name*, used where *node* stands, can only mean the builtin."""
    analysis = _analysis(module)
    return not analysis.star and resolve(analysis.owner[node], name) is None


def _analysis(module: Module) -> _Analysis:
    if "scopes" not in module.memo:
        module.memo["scopes"] = _Analysis(module.tree)
    return module.memo["scopes"]  # type: ignore[no-any-return]


class _Analysis:
    """One walk with a stack of its own: expressions may be deeper than Python's recursion."""

    def __init__(self, tree: ast.Module) -> None:
        self.top = Scope(tree, None)
        self.scopes = [self.top]
        self.owner: dict[ast.AST, Scope] = {tree: self.top}
        self.star = False
        self._pending: list[tuple[ast.AST, Scope]] = []
        self._push(children(tree), self.top)
        while self._pending:
            node, scope = self._pending.pop()
            self.owner[node] = scope
            self._visit(node, scope)

    def _push(self, nodes: Iterator[ast.AST] | list[ast.AST], scope: Scope) -> None:
        self._pending.extend((node, scope) for node in reversed(list(nodes)))

    def _open(self, node: ast.AST, parent: Scope) -> Scope:
        scope = Scope(node, parent)
        self.scopes.append(scope)
        return scope

    def _bind(self, scope: Scope, name: str, node: ast.AST) -> None:
        scope.bound.setdefault(name, []).append(node)
        if name in scope.global_names:
            self.top.bound.setdefault(name, []).append(node)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._bind(scope, node.name, node)
            self._push([*node.decorator_list, *node.bases, *node.keywords], scope)
            self._type_parameters(node, scope)
            self._push(list(node.body), self._open(node, scope))
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, scope)
        elif isinstance(node, ast.NamedExpr):
            self._push([node.target], _around_comprehensions(scope))
            self._push([node.value], scope)
        else:
            self._bindings(node, scope)
            self._push(children(node), scope)

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> None:
        inner = self._open(node, scope)
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        self.owner[arguments] = scope
        for argument in every:
            self.owner[argument] = inner
            self._bind(inner, argument.arg, argument)
        outside: list[ast.AST | None] = [*arguments.defaults, *arguments.kw_defaults]
        outside += [argument.annotation for argument in every]
        if isinstance(node, ast.Lambda):
            self._push([node.body], inner)
        else:
            self._bind(scope, node.name, node)
            outside += [*node.decorator_list, node.returns]
            self._type_parameters(node, scope)
            self._push(list(node.body), inner)
        self._push([part for part in outside if part is not None], scope)

    def _type_parameters(self, node: ast.AST, scope: Scope) -> None:
        """Their scope of their own is taken as the one around it, which binds too much."""
        parameters = getattr(node, "type_params", [])
        for parameter in parameters:
            self._bind(scope, parameter.name, parameter)
        self._push(list(parameters), scope)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = self._open(node, scope)
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        for index, generator in enumerate(generators):
            self.owner[generator] = inner
            self._push([generator.target, *generator.ifs], inner)
            self._push([generator.iter], inner if index else scope)
        parts = [getattr(node, name, None) for name in ("elt", "key", "value")]
        self._push([part for part in parts if part is not None], inner)

    def _bindings(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Name):
            scope.mentions.append(node)
            if not isinstance(node.ctx, ast.Load):
                self._bind(scope, node.id, node)
        elif isinstance(node, ast.Global):
            scope.global_names.update(node.names)
            for name in node.names:
                self._bind(scope, name, node)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocal_names.update(node.names)
        elif isinstance(node, ast.alias):
            self.star = self.star or node.name == "*"
            self._bind(scope, (node.asname or node.name).split(".")[0], node)
        else:
            caught = isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar))
            captured = getattr(node, "name" if caught else "rest", None)
            if isinstance(captured, str):
                self._bind(scope, captured, node)


def _around_comprehensions(scope: Scope) -> Scope:
    """Where the target of `:=` in a comprehension belongs."""
    while isinstance(scope.node, _COMPREHENSIONS) and scope.parent is not None:
        scope = scope.parent
    return scope
