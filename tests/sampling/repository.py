"""Small repositories, and real transformations whose effect is easy to count, for these tests."""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.instance import Instance, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import LimitSettings, SamplerSettings
from pytest_jagged.contracts.transformation import Candidates, Site, Transformation
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.evaluation.grader import Grader

SHOP = {
    "shop/__init__.py": "",
    "shop/price.py": '''"""Prices."""

CURRENCY = "EUR"


def total(amounts):
    result = 0
    for amount in amounts:
        if amount > 0 and amount < 1000:
            result += amount
    return result


def label(amount):
    if amount > 100:
        return "expensive item"
    else:
        return "cheap item"
''',
    "shop/stock.py": '''class Stock:
    """Counts."""

    def __init__(self, items):
        self.items = dict(items)

    def take(self, name, count):
        if count > self.items.get(name, 0):
            raise ValueError("not enough in stock")
        self.items[name] -= count
        return self.items[name]
''',
    "tests/test_shop.py": """from shop.price import label, total
from shop.stock import Stock


def test_total():
    assert total([1, 2, -3]) == 3


def test_limit_is_included():
    assert total([1000]) == 1000


def test_label():
    assert (label(1), label(101)) == ("cheap item", "expensive item")


def test_stock():
    assert Stock({"a": 2}).take("a", 1) == 1
    try:
        Stock({}).take("a", 1)
    except ValueError as error:
        assert "not enough" in str(error)
    else:
        raise AssertionError
""",
    # Starts ten times faster than pytest, and these tests start suites by the dozen.
    "tests/run.py": """import glob
import runpy

lines = []
for path in sorted(glob.glob("tests/test_*.py")):
    for name, test in sorted(runpy.run_path(path).items()):
        if name.startswith("test_"):
            try:
                test()
                result = ""
            except Exception:
                result = "<failure/>"
            lines.append('<testcase classname="%s" name="%s">%s</testcase>' % (path, name, result))
with open("junit.xml", "w") as stream:
    stream.write("<testsuite>%s</testsuite>" % "".join(lines))
""",
}

SHOP_GOLD = """diff --git a/shop/price.py b/shop/price.py
--- a/shop/price.py
+++ b/shop/price.py
@@ -6,6 +6,6 @@
 def total(amounts):
     result = 0
     for amount in amounts:
-        if amount > 0 and amount < 1000:
+        if amount > 0 and amount <= 1000:
             result += amount
     return result
"""
TESTS = "tests/test_shop.py::"


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
    return root


def make_instance(
    root: Path,
    files: Mapping[str, str | bytes] = SHOP,
    *,
    gold_files: tuple[str, ...] = ("shop/price.py",),
    gold_patch: str = SHOP_GOLD,
    issue: str = "`total` leaves out 1000.",
    test_command: str = "python tests/run.py",
    results: ResultsSource = ResultsSource(ResultsMode.JUNIT, "junit.xml"),  # noqa: B008 - frozen
) -> Instance:
    """A native instance of these files, whose tests the running interpreter runs."""
    texts = {name: repr(content) for name, content in files.items()}
    digest = json_digest([texts, gold_patch, issue, test_command, results.mode.value])
    return Instance(
        id="shop",
        problem_statement=issue,
        seed=write_tree(root, files),
        seed_digest=json_digest(texts),
        digest=digest,
        test_command=test_command,
        results=results,
        fail_to_pass=(f"{TESTS}test_limit_is_included",),
        pass_to_pass=(f"{TESTS}test_label", f"{TESTS}test_stock", f"{TESTS}test_total"),
        gold_patch=gold_patch,
        gold_files=gold_files,
        interpreter=sys.executable,
        python_version=sys.version_info[:2],
    )


def grader() -> Grader:
    limits = replace(LimitSettings(), test_s=120)
    return Grader(LocalProvider(limits), limits)


def settings(**changes: Any) -> SamplerSettings:
    return replace(SamplerSettings(), **changes)


@dataclass(frozen=True, slots=True)
class AppendComment:
    """Every statement of a module's top level is a site; it gets a comment line after it.

    Behaviour stays the same, and sites can be counted in the text. With a target, the comment
    names it.
    """

    name: str
    keyword_bound: bool = False

    def candidates(self, module: Any, target: str | None) -> Candidates:
        body = ast.parse(module.text).body
        return Candidates(
            tuple(Site(n.lineno, n.col_offset, n.end_lineno or n.lineno, "statement") for n in body)
        )

    def rewrite(
        self, module: Any, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> str:
        lines: list[str] = module.text.splitlines(keepends=True)
        for site in sorted(sites, reverse=True):
            text = f"# {self.name} {target or ''} {rng.getrandbits(32)}\n"
            lines.insert(site.end_line, text)
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Replaces one text by another wherever it stands: changes behaviour if told to."""

    name: str
    old: str
    new: str
    keyword_bound: bool = False

    def candidates(self, module: Any, target: str | None) -> Candidates:
        lines = module.text.splitlines()
        return Candidates(
            tuple(
                Site(number, line.index(self.old), number, "text")
                for number, line in enumerate(lines, 1)
                if self.old in line
            )
        )

    def rewrite(
        self,
        module: Any,
        sites: Sequence[Site],
        target: str | None,
        rng: random.Random,
    ) -> str:
        lines: list[str] = module.text.splitlines(keepends=True)
        for site in sites:
            lines[site.line - 1] = lines[site.line - 1].replace(self.old, self.new)
        return "".join(lines)


def pool(*transformations: Transformation) -> dict[str, Transformation]:
    return {transformation.name: transformation for transformation in transformations}
