"""String Literal Splitter."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.splice import Edit
from pytest_jagged.transforms.splicing import (
    Example,
    Finding,
    Found,
    Splicing,
    expression_edit,
    site_of,
)

__all__ = ["StringLiteralSplitter"]

_MIN_LENGTH = 4
# Longer sums are not folded by the compiler, so that identity would change.
_MAX_LENGTH = 1000
_LITERAL = re.compile(r"""(["'])((?:\\(?:\r\n|[\s\S])|(?!\1)[^\\\r\n])*)\1""")
# One character of the value, however it is written.
_UNIT = re.compile(
    r"\\N\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[0-7]{1,3}|\\\r\n|\\[\s\S]|[^\\]"
)
_STATIC_NAME = re.compile(r"__\w+__|_?version|_?VERSION")
_TRANSLATORS = frozenset({"_", "gettext", "ngettext", "pgettext", "ugettext", "gettext_lazy"})


class StringLiteralSplitter(Splicing):
    """`"text"` → `("te" + "xt")`, cut between two characters as they are written.

    Applies to plain literals of 4 to 1000 characters. Skipped: prefixes; triple quotes; implicit
    concatenation; a string that is a statement (docstrings); the base of an attribute; an operand
    of an operator other than +; annotations, f-strings and match patterns; what is read without
    being run: build scripts, assignments of versions and to dunder names of a module or class,
    messages for translation.
    """

    name = "string_literal_splitter"
    APPLIES = (
        Example("x = 'text'\n", "a literal"),
        Example("def f():\n    return'text'if x else\"it's\"\n", "words that touch"),
        Example('SEP = "a\\x001b"\n', "an escape before a digit stays whole"),
        Example('BAD = "\\ud800\\udc00xyz"\n', "surrogates"),
        Example('x = "a\\N{BULLET}b\\\nc" + y\n', "named characters, continued lines"),
        Example("match x:\n    case 1:\n        y = 'text'\n", "the body of a case"),
    )
    SKIPS = (
        Example("x = 'abc'\n", "too short"),
        Example("x = b'text' + r'text' + u'text'\n", "prefixes"),
        Example("x = '''text'''\n", "triple quotes"),
        Example("x = 'text' 'more'\n", "implicit concatenation"),
        Example("def f():\n    'documentation'\n", "a docstring"),
        Example('class Missing(Exception): "raised when absent"\n', "a one-line docstring"),
        Example("x = 'text'.upper()\n", "base of an attribute"),
        Example("x = 'text %s' % y\n", "another operator"),
        Example("def f(x: 'Text') -> 'Text': ...\n", "annotations"),
        Example("match x:\n    case 'text':\n        pass\n", "a pattern"),
        Example("__version__ = '1.2.3'\n__all__ = ['name']\n", "read without being run"),
        Example("version = '1.2.3'\n", "a version that build scripts search for"),
        Example("x = _('message')\n", "extracted for translation"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if len(node.value) < _MIN_LENGTH:
                continue
            reason = self._refusal(module, node, node.value)
            site = site_of(module, node, "literal")
            yield Found(site, node) if reason is None else SkippedSite(site, reason)

    def _refusal(self, module: Module, node: ast.Constant, value: str) -> str | None:
        context = forbidden_context(module, node)  # first: positions in f-strings are no positions
        if context is not None:
            return context
        if not _LITERAL.fullmatch(module.text_of(node)):
            return "prefix, triple quotes or implicit concatenation"
        if len(value) > _MAX_LENGTH:
            return "too long"
        parent = module.parents[node]
        if isinstance(parent, ast.Expr):
            return "a string statement"
        if isinstance(parent, ast.Attribute):
            return "base of an attribute"
        if isinstance(parent, ast.BinOp) and not isinstance(parent.op, ast.Add):
            return "operand of another operator"
        if isinstance(parent, ast.Call) and _is_translation(parent):
            return "message for translation"
        if _is_build_script(module.path) or _assigned_to_dunder(module, node):
            return "read without being run"
        return None

    def edit(
        self,
        module: Module,
        found: Found,
        target: str | None,
        rng: random.Random,
    ) -> Edit:
        literal = module.text_of(found.payload)
        quote, content = literal[0], literal[1:-1]
        units = _UNIT.findall(content)
        at = rng.randrange(1, len(units))
        head, tail = "".join(units[:at]), "".join(units[at:])
        text = f"({quote}{head}{quote} + {quote}{tail}{quote})"
        return expression_edit(module, found.site, *module.span(found.payload), (text,))


def _is_translation(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _TRANSLATORS


def _assigned_to_dunder(module: Module, node: ast.AST) -> bool:
    """Whether *node* is in a statement outside functions that sets or extends a dunder name."""
    statement: ast.AST | None = None
    for ancestor in module.ancestors(node):
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        if statement is None and isinstance(ancestor, ast.stmt):
            statement = ancestor
    if statement is None:
        return False
    names = (n.id for n in walk(statement) if isinstance(n, ast.Name))
    simple = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr))
    return simple and any(_STATIC_NAME.fullmatch(name) for name in names)


def _is_build_script(path: str | None) -> bool:
    return path is not None and PurePosixPath(path).name == "setup.py"
