"""Dead String Assignment."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.context import reads_source
from pytest_jagged.transforms.module import Block, Module
from pytest_jagged.transforms.names import fresh_name, identifiers, reflects_on_locals
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.source import SourceText
from pytest_jagged.transforms.splice import Edit
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import indented_suites, is_docstring

__all__ = ["COMMON_NAMES", "DeadStringAssignment", "string_literal"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WORD = re.compile(r"\w+")
_TERMINATORS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
# Names that locals often have; one is taken only where the function does not mention it.
COMMON_NAMES = (
    *("result", "value", "data", "tmp", "buf", "cached", "entry", "item", "record", "payload"),
    *("label", "tag", "msg", "info", "state", "ctx", "meta", "token", "prefix", "suffix"),
    *("marker", "ident", "ref", "current", "previous", "candidate", "resolved", "parsed", "raw"),
    *("snapshot", "handle", "frame", "cursor", "text", "key", "name", "default", "source", "hint"),
)


class DeadStringAssignment(Splicing):
    """Puts `name = "keyword"` before a statement of a function's blocks; the name is never read.

    The name occurs nowhere in the function, nested scopes (they would capture it) and strings
    (queries that look it up) included.
    Skipped: before a docstring; behind return, raise, break or continue in the same block; a
    statement that does not begin its line; functions that look at their own locals or frame, or
    that are compiled from source; match statements' cases. The keyword is written as the literal
    of exactly that string; control characters are refused (TransformError).
    """

    name = "dead_string_assignment"
    keyword_bound = True
    APPLIES = (
        Example("def f(a):\n    if a:\n        return 1\n    return 2\n", "every block", "parse"),
        Example(
            'def f():\n    """Doc."""\n    return 1\n', "after the docstring", 'expected "a"\\d'
        ),
        Example("class A:\n\tdef f(self):\n\t\tpass\r\n", "tabs, CRLF", 'it\'s "both"'),
    )
    SKIPS = (
        Example("x = 1\n", "no function", "word"),
        Example("def f():\n    a = 1\n    return dir()\n", "looks at its locals", "word"),
        Example(
            "from inspect import currentframe\ndef g():\n    return currentframe().f_locals\n",
            "looks at its frame",
            "word",
        ),
        Example("def f(): return 1\n", "a suite on the header's line", "word"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        if target is None:
            return
        string_literal(target, module.source)
        for suite in indented_suites(module):
            function = _function_of(module, suite.owner)
            if function is None:
                continue
            reason = _refusal(module, function)
            for statement in _places(module, suite.owner, suite.statements):
                site = site_of(module, statement, "statement")
                if reason is not None:
                    yield SkippedSite(site, reason)
                elif module.indent_at(module.start(statement)) != suite.indent:
                    yield SkippedSite(site, "does not begin its line")
                else:
                    yield Found(site, (function, suite.indent))

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        assert target is not None
        function, indent = found.payload
        start = module.source.starts[found.site.line - 1]
        free = [name for name in COMMON_NAMES if name not in _mentioned(module, function)]
        # One site in ten takes words of the file instead of a common name.
        name = rng.choice(free) if free and rng.random() < 0.9 else fresh_name(module, rng)
        text = f"{indent}{name} = {string_literal(target, module.source)}{module.source.newline}"
        return Edit(found.site, start, start, (text,))


def string_literal(value: str, source: SourceText) -> str:
    """A literal of exactly *value* on one line, with double quotes where they need no escape.

    Characters that the encoding of *source* lacks are escaped.

    Raises:
        TransformError: a control character or lone surrogate, which no source file shows.
    """
    if not value or not value.isprintable():
        raise TransformError(f"target {value!r}: control characters cannot be shown in a literal")
    escaped = value.replace("\\", "\\\\")
    escaped = "".join(c if source.can_encode(c) else f"\\U{ord(c):08x}" for c in escaped)
    if '"' in escaped and "'" not in escaped:
        return f"'{escaped}'"
    quoted = escaped.replace('"', '\\"')
    return f'"{quoted}"'


def _mentioned(module: Module, function: ast.AST) -> frozenset[str]:
    key = ("mentioned", function)
    if key not in module.memo:
        strings = (n.value for n in walk(function) if isinstance(n, ast.Constant))
        words = (w for s in strings if isinstance(s, str) for w in _WORD.findall(s))
        module.memo[key] = identifiers(module, function).union(words)
    return module.memo[key]  # type: ignore[no-any-return]


def _function_of(module: Module, owner: ast.AST) -> ast.AST | None:
    """The function whose block *owner* gives; None for classes, cases and the module."""
    node: ast.AST | None = owner
    while node is not None:
        if isinstance(node, _FUNCTIONS):
            return node
        if isinstance(node, (ast.ClassDef, ast.match_case)):
            return None
        node = module.parents.get(node)
    return None


def _refusal(module: Module, function: ast.AST) -> str | None:
    key = ("locals seen", function)
    if key not in module.memo:
        reason = None
        if reflects_on_locals(function):
            reason = "looks at its locals"
        elif reads_source(module, function):
            reason = "source is read"
        module.memo[key] = reason
    return module.memo[key]  # type: ignore[no-any-return]


def _places(module: Module, owner: ast.AST, statements: Block) -> Iterator[ast.stmt]:
    for index, statement in enumerate(statements):
        if index == 0 and is_docstring(owner, statement):
            continue
        yield statement
        if isinstance(statement, _TERMINATORS):
            return
