"""Fast walks over syntax trees, by the fields in which a class of node can hold others.

`ast.walk` looks at every field of every node, and a third of what it yields are the contexts and
operators (`Load`, `Add`, …), of which Python has one object each for all places. They are no nodes
here. A variant of a large repository asks for some ten million nodes.
"""

from __future__ import annotations

import ast

__all__ = ["children", "index", "walk"]

# Fields that hold names, numbers or shared nodes, in whichever class they stand.
_PLAIN = frozenset(
    {
        *("id", "attr", "arg", "name", "asname", "rest", "module", "level", "kwd_attrs"),
        *("ctx", "op", "ops", "is_async", "simple", "conversion", "kind", "type_comment"),
        *("lineno", "tag", "str"),
    }
)


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    if issubclass(kind, (ast.Constant, ast.Global, ast.Nonlocal)):
        return ()
    if kind.__name__ == "TypeAlias":  # the one whose name is a node
        return kind._fields
    return tuple(field for field in kind._fields if field not in _PLAIN)


_FIELDS = {
    kind: _fields(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def children(node: ast.AST) -> list[ast.AST]:
    """In the order of the source, as far as the fields' order is."""
    found: list[ast.AST] = []
    values = node.__dict__
    for field in _FIELDS[node.__class__]:
        value = values.get(field)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """*root* and all below it, breadth first, without recursion."""
    nodes = [root]
    fields, kind = _FIELDS, ast.AST
    for node in nodes:  # it grows
        values = node.__dict__
        for field in fields[node.__class__]:
            value = values.get(field)
            if value.__class__ is list:
                nodes += [item for item in value if isinstance(item, kind)]
            elif isinstance(value, kind):
                nodes.append(value)
    return nodes


def index(root: ast.AST) -> tuple[list[ast.AST], dict[ast.AST, ast.AST]]:
    """What `walk` gives, and the parent of each but *root*."""
    nodes, parents = [root], {}
    fields, kind, push = _FIELDS, ast.AST, nodes.append
    for node in nodes:  # it grows
        values = node.__dict__
        for field in fields[node.__class__]:
            value = values.get(field)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, kind):
                        parents[item] = node
                        push(item)
            elif isinstance(value, kind):
                parents[value] = node
                push(value)
    return nodes, parents
