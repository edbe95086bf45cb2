"""Local Variable Renamer: WordNet's words, and every scope that means the variable."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_jagged.config.catalogue import TRANSFORMATION_NAMES
from pytest_jagged.transforms import catalogue
from pytest_jagged.transforms.synonyms import synonym
from tests.transforms.rewriting import reasons, rewritten, same_outcome

SPT = "local_variable_renamer"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("result", "consequence"), ("buffer", "fender"), ("children", "child"), ("qwxz", None)],
)
def test_first_lemma_that_differs(word: str, expected: str | None) -> None:
    assert synonym(word) == expected


def test_the_catalogue_is_complete_and_in_order() -> None:
    assert tuple(catalogue()) == TRANSFORMATION_NAMES


def test_nltk_is_loaded_only_when_a_synonym_is_asked() -> None:
    code = (
        "import sys; from pytest_jagged.transforms import catalogue, transform_source as t\n"
        "catalogue(); t('x = 1\\n', 'local_variable_renamer', seed=1)\n"
        "assert not {'nltk', 'astroid'} & set(sys.modules)\n"
        "print(t('def f(a):\\n  result = a + 1\\n  return result\\n', "
        "'local_variable_renamer', seed=1).source)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "return consequence" in done.stdout


def test_a_taken_synonym_gives_five_letters() -> None:
    text = rewritten("def f(a, consequence):\n    result = a + 1\n    return result\n", SPT)
    name = text.split("return ")[1].strip()
    assert len(name) == 5
    assert name.isalpha()


@pytest.mark.parametrize(
    "body",
    [
        "total = 1 + 1\n    def g():\n        total = 5\n        return total\n"
        "    return total + g()",
        "total = 1 + 1\n    def g(start=total):\n        total = start + 1\n        return total\n"
        "    return g()",
        "total = 1 + 1\n    return [total for k in 'ab' if total], {k: total for k in 'ab'}",
        "total = 1 + 1\n    class C:\n        x = total\n        total = 3\n"
        "        def get(self): return total\n    return C().get() + total",
        "total = 1 + 1\n    return (lambda: total)() + (lambda k: total)(3)",
        "total = 1 + 1\n    width = total + 1\n    return [(y := width), total]",
    ],
)
def test_scopes(body: str) -> None:
    same_outcome(f"def f():\n    {body}\n", SPT)


def test_attribute_names_in_patterns_are_no_variables() -> None:
    code = "def h(p):\n    width = 3 + 1\n    match p:\n        case int(real=4): return width\n"
    assert "real=4" in rewritten(code, SPT)


def test_mentions_in_strings() -> None:
    code = "def f(t):\n    total = 3 + 1\n    return t.query('a > @total')\n"
    assert reasons(code, SPT) == ["a string of the function has the name"]
