"""Dead Method Injection."""

from __future__ import annotations

import ast
import keyword
import random
import unicodedata
from collections.abc import Iterator

from pytest_jagged.contracts.transformation import SkippedSite
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.class_facts import class_facts
from pytest_jagged.transforms.class_families import Repository
from pytest_jagged.transforms.context import reads_source
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.names import fresh_name, identifiers
from pytest_jagged.transforms.splice import Edit, Span
from pytest_jagged.transforms.splicing import Example, Finding, Found, Splicing, site_of
from pytest_jagged.transforms.suite import Suite, suite_of

__all__ = ["DeadMethodInjection"]

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HOOKS = ("test", "setup", "setUp", "teardown", "tearDown", "pytest_")
_ENUMERATORS = frozenset({"getmembers", "getmembers_static", "classify_class_attrs"})
_CLASS_NAMES = frozenset({"cls", "klass", "clazz", "typ", "base", "owner", "mcs"})


class DeadMethodInjection(Splicing):
    """Appends `def NAME(self, *args, **kwargs): if False: …` to a class, NAME being the target.

    In a repository (`module.repository`) its other files are asked too; a single file can only be
    asked itself. Skipped: the name occurs anywhere in the class, in its bases or in an heir; bases
    from elsewhere, or which control their attributes; heirs with further bases that may have the
    name; metaclasses, keywords, decorators; a class with attribute hooks of its own, of properties
    only, or of a bare `pass`; the name is spelt by a string (`getattr`), or could be put together
    from one, or is set or probed as an attribute; files that list members; names of test hooks and
    dunder or mangled names. A target that is no identifier is refused (TransformError).
    """

    name = "dead_method_injection"
    keyword_bound = True
    reads_repository = True
    APPLIES = (
        Example("class A:\n    def f(self):\n        return 1\n", "a class", "save"),
        Example("class A(object):\n\tx = 1\n\tclass B:\n\t\ty = 2", "nested, no line end", "load"),
        Example("class A:\n    x = 1\nclass B(A):\n    y = 2\n", "a base of the file", "save"),
        Example('class Missing(KeyError):\n    """Gone."""\n', "a builtin exception", "resolve"),
    )
    SKIPS = (
        Example("class A:\n    def save(self): pass\n    x = 1\n", "has the name", "save"),
        Example("class A(Other):\n    x = 1\n", "an unknown base", "save"),
        Example("class Cache(dict):\n    size = 3\n", "dict has it", "get"),
        Example('class P:\n    __slots__ = ("run2", "x")\n', "a slot", "run2"),
        Example(
            "class A:\n    if True:\n        def go(self): return 1\n", "defined under an if", "go"
        ),
        Example(
            "class LogMixin:\n    def log(self): ...\nclass Worker:\n    def work(self): return 1\n"
            "class Job(LogMixin, Worker):\n    pass\n",
            "no class of a family in which the name is inherited",
            "work",
        ),
        Example("class A(metaclass=M):\n    x = 1\n", "a metaclass", "save"),
        Example("class A:\n    def __getattr__(self, n): return 1\n", "a hook", "save"),
        Example("class A:\n    pass\n", "a sentinel", "save"),
        Example("class A:\n    x = 1\nhasattr(A(), 'save')\n", "probed by name", "save"),
        Example("class A:\n    x = 1\nnames = sorted(vars(A))\n", "its names are listed", "save"),
        Example("class A:\n    x = 1\n", "a test", "test_save"),
        Example("class A:\n    x = 1\n", "a dunder name", "__len__"),
        Example("@register\nclass A:\n    x = 1\n", "a decorator", "save"),
        Example("class A:\n    @property\n    def x(self): return 1\n", "properties only", "save"),
    )

    def find(self, module: Module, target: str | None) -> Iterator[Finding]:
        if target is None:
            return
        check_method_name(target)
        classes = [node for node in module.nodes if isinstance(node, ast.ClassDef)]
        if not classes:
            return
        repository = Repository(module.source.encode(module.text), module.repository)
        everywhere = _name_refusal(target) or repository.reads(target)
        if everywhere is None and _lists_members(module):
            everywhere = "the file lists members"
        for node in classes:
            suite = suite_of(module, node, node.body)
            if suite is None:
                continue  # the paper's candidates have an indented body
            site = site_of(module, node, "class")
            reason = everywhere or _refusal(module, node, target, repository)
            yield Found(site, suite) if reason is None else SkippedSite(site, reason)

    def edit(self, module: Module, found: Found, target: str | None, rng: random.Random) -> Edit:
        suite: Suite = found.payload
        newline = module.source.newline
        closed = module.text[suite.end - 1] in "\r\n"
        lines = [f"{suite.indent}def {target}(self, *args, **kwargs):"]
        lines += [suite.indent + suite.unit + line for line in _body(module, suite.unit, rng)]
        text = newline.join(["", *lines]) if closed else newline * 2 + newline.join(lines)
        end = newline if closed else ""
        return Edit(found.site, suite.start, suite.end, (Span(suite.start, suite.end), text, end))


def check_method_name(target: str) -> None:
    """Raises TransformError for what cannot be the name of a method, exactly as given."""
    if (
        not target.isidentifier()
        or keyword.iskeyword(target)
        or unicodedata.normalize("NFKC", target) != target
    ):
        raise TransformError(f"target {target!r}: not a name that a method can have")


def _lists_members(module: Module) -> bool:
    if identifiers(module) & _ENUMERATORS:
        return True
    classes = {node.name for node in module.nodes if isinstance(node, ast.ClassDef)}
    return any(_shows_names(node, classes) for node in module.nodes)


def _shows_names(node: ast.AST, classes: set[str]) -> bool:
    """`dir(x)` of anything; `vars(x)` and `x.__dict__` of what may be a class."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__" and _may_be_class(node.value, classes)
    if not isinstance(node, ast.Call) or not node.args:
        return False
    called = getattr(node.func, "id", None)
    return called == "dir" or (called == "vars" and _may_be_class(node.args[0], classes))


def _may_be_class(node: ast.expr, classes: set[str]) -> bool:
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", None) == "type"
    if isinstance(node, ast.Attribute):
        return node.attr == "__class__"
    return isinstance(node, ast.Name) and (node.id in classes or node.id in _CLASS_NAMES)


def _name_refusal(target: str) -> str | None:
    if target.startswith("__"):
        return "dunder or mangled name"
    return "name of a test or hook" if target.startswith(_HOOKS) else None


def _refusal(module: Module, node: ast.ClassDef, target: str, repository: Repository) -> str | None:
    facts = class_facts(module, node)
    if not facts.open:
        return "keyword, decorator or attribute hook"
    if target in facts.mentioned:
        return "the class has the name"
    if all(_is_bare(statement) for statement in node.body):
        return "sentinel class"
    methods = [s for s in node.body if isinstance(s, _METHODS) and not s.name.startswith("__")]
    if methods and all(method.decorator_list for method in methods):
        return "namespace of decorated methods"
    if reads_source(module, node):
        return "source is read"
    return repository.base_refusal(facts, target) or repository.heir_refusal(facts, target)


def _is_bare(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is Ellipsis
    )


def _body(module: Module, unit: str, rng: random.Random) -> list[str]:
    """A body whose every statement is under `if False`, in one of several shapes."""
    first = fresh_name(module, rng)
    second = fresh_name(module, rng, frozenset({first}))
    key = f'"{first}"'
    shapes = (
        [f"{first} = kwargs.get({key})", f"return {first}"],
        [f"{first} = list(args)", f"{second} = dict(kwargs)", f"return {first}, {second}"],
        [f"{first} = args[0] if args else None", f"return {first}"],
        [f"for {first} in args:", f"{unit}kwargs[{first}] = None", "return kwargs"],
    )
    return ["if False:", *(unit + line for line in rng.choice(shapes))]
