"""Local Variable Renamer."""

from __future__ import annotations

import ast
import builtins
import keyword
import random
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.transformation import Rewritten, Site, SkippedSite
from pytest_jagged.transforms.bindings import Scope, resolve, scope_of, scopes
from pytest_jagged.transforms.context import forbidden_context
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import identifiers, reflects_on_locals
from pytest_jagged.transforms.nodes import walk
from pytest_jagged.transforms.splice import Edit, render_edits
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.synonyms import synonym

__all__ = ["LocalVariableRenamer"]

_LEAST_LETTERS = 3
_WORD = re.compile(r"[A-Za-z]+")
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class _Variable:
    name: str
    mentions: tuple[ast.Name, ...]


class LocalVariableRenamer(Splicing):
    """Gives a local variable of a function the name of a synonym, in all scopes that mean it.

    Candidates are first targets of plain assignments: alphabetic names of 3 letters or more, bound
    once. As in the paper, skipped where the name is, anywhere in the module, an attribute or its
    base, called, an argument, a subscript's base, imported, in a decorator, a parameter, defined,
    a loop's target, or global/nonlocal; where it is assigned from a call or another name. Skipped
    too: functions that look at their locals or frame or whose source is read; a mention inside an
    f-string; the name as a word of a string in the function.

    The synonym is WordNet's first; where there is none, or it is taken, five random letters.
    """

    name = "local_variable_renamer"
    APPLIES = (
        Example("def f(a):\n    total = a + 1\n    return total\n", "a synonym"),
        Example(
            "def f():\n    width = 3 + 1\n    def g():\n        return [width for _ in 'ab']\n"
            "    return g()\n",
            "nested scopes that mean it",
        ),
        Example(
            "def f():\n    value = 10 + 1\n    class C:\n        value = 2\n"
            "        def get(self): return value\n    return C().get()\n",
            "a class does not hide it from its methods",
        ),
        Example(
            "def f():\n    total = 1 + 1\n    g = lambda start=total: start\n    return g()\n",
            "a default is evaluated outside",
        ),
    )
    SKIPS = (
        Example("total = 1 + 1\n", "a module's name"),
        Example("def g():\n    total = 1 + 1\n    return f'{total=}'\n", "shown by its name"),
        Example("def f(a):\n    total = 1\n    total = 2\n    return total\n", "bound twice"),
        Example("def f(a):\n    total = 1\n    return locals()\n", "looks at its locals"),
        Example("def f(t):\n    total = 3\n    return t['@total']\n", "a string names it"),
        Example("def f(a):\n    total = a\n    size = len(a)\n", "another name, or a call's value"),
        Example("def f(a):\n    total = [1]\n    return total[0]\n", "a subscript's base"),
        Example("class A:\n    total = 1 + 1\n", "a class attribute"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        for node in module.nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            scope = scope_of(module, node)
            if not scope.is_function:
                continue
            site = site_of(module, node.targets[0], "variable")
            reason = _refusal(module, node, node.targets[0].id, scope)
            if reason is None:
                variable = _variable(module, node.targets[0].id, scope)
                reason = _mention_refusal(module, variable)
            yield Found(site, variable) if reason is None else SkippedSite(site, reason)

    def rewrite(
        self, module: Module, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> Rewritten:
        known = {f.site: f for f in self._findings(module, target) if isinstance(f, Found)}
        taken = set(identifiers(module))
        edits: list[Edit] = []
        for site in sorted(sites):
            variable: _Variable = known[site].payload
            name = _new_name(variable.name, taken, rng)
            taken.add(name)
            edits += (Edit(site, *module.span(node), (name,)) for node in variable.mentions)
        return Rewritten(*render_edits(module, edits))


def _refusal(module: Module, node: ast.Assign, name: str, scope: Scope) -> str | None:
    if not (name.isascii() and name.isalpha() and len(name) >= _LEAST_LETTERS):
        return "name is short or not alphabetic"
    if hasattr(builtins, name):
        return "name of a builtin"
    if isinstance(node.value, (ast.Call, ast.Await)):
        return "assigned from a call"
    if isinstance(node.value, ast.Name):
        return "assigned from another name"
    if not scope.binds(name) or len(scope.bound[name]) != 1:
        return "bound more than once"
    if name in _exposed(module):
        return "used in a way that the paper excludes"
    if reflects_on_locals(scope.node):
        return "looks at its locals"
    if name in _string_words(module, scope.node):
        return "a string of the function has the name"
    return None


def _exposed(module: Module) -> frozenset[str]:
    """Names of the module with a use that could carry meaning beyond one scope."""
    if "exposed names" not in module.memo:
        module.memo["exposed names"] = frozenset(_find_exposed(module))
    return module.memo["exposed names"]  # type: ignore[no-any-return]


def _find_exposed(module: Module) -> Iterator[str]:
    for node in module.nodes:
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.Attribute):
            yield node.attr
            parts = [node.value]
        elif isinstance(node, ast.Call):
            parts = [node.func, *node.args, *(k.value for k in node.keywords)]
            parts += [part.value for part in node.args if isinstance(part, ast.Starred)]
            yield from (k.arg for k in node.keywords if k.arg)
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.alias):
            yield from (node.asname or node.name).split(".")
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
        elif isinstance(node, _LOOPS):
            parts = list(walk(node.target))
        if isinstance(node, _DEFINITIONS):
            yield node.name
            parts = [part for decorator in node.decorator_list for part in walk(decorator)]
        yield from (part.id for part in parts if isinstance(part, ast.Name))


def _string_words(module: Module, function: ast.AST) -> frozenset[str]:
    key = ("string words", function)
    if key not in module.memo:
        module.memo[key] = frozenset(
            word
            for node in walk(function)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for word in _WORD.findall(node.value)
        )
    return module.memo[key]  # type: ignore[no-any-return]


def _variable(module: Module, name: str, scope: Scope) -> _Variable:
    """The variable with every `Name` that means it, nested scopes included."""
    mentions = (
        node
        for other in scopes(module)
        for node in other.mentions
        if node.id == name and resolve(other, name) is scope
    )
    return _Variable(name, tuple(sorted(mentions, key=lambda n: (n.lineno, n.col_offset))))


def _mention_refusal(module: Module, variable: _Variable) -> str | None:
    reasons = (forbidden_context(module, node) for node in variable.mentions)
    return next((reason for reason in reasons if reason is not None), None)


def _new_name(name: str, taken: set[str], rng: random.Random) -> str:
    found = synonym(name)
    while found is None or found in taken or keyword.iskeyword(found) or hasattr(builtins, found):
        found = "".join(rng.choice(string.ascii_lowercase) for _ in range(5))
    return found
