"""Dead Method Injection: what other files of the repository say is heard."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from pytest_jagged.errors import TransformError
from pytest_jagged.transforms import transform_source
from pytest_jagged.transforms.engine import apply
from pytest_jagged.transforms.registry import find_transformation
from tests.transforms.rewriting import outcome, rewritten

SPT = "dead_method_injection"
OWN = "class A:\n    x = 1\n    def f(self): return 2\n"


class Files:
    def __init__(self, **files: str) -> None:
        self._files = {name + ".py": text.encode() for name, text in files.items()}

    def paths(self) -> Sequence[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes:
        return self._files[path]


def candidates(own: str, other: str, target: str = "save") -> int:
    tree = Files(own=own, other=other)
    result = apply(
        own.encode(),
        find_transformation(SPT),
        rng=random.Random(1),
        fraction=1.0,
        target=target,
        path="own.py",
        tree=tree,
    )
    return result.candidates


def test_the_method_does_nothing() -> None:
    text = rewritten(OWN, SPT, target="save")
    assert outcome(text, "A().save(1, k=2), A().x, A().f()")[0] == "(None, 1, 2)"


def test_classes_ending_on_one_line_get_a_method_each() -> None:
    text = rewritten(
        "class A:\n    class B:\n        class C:\n            x = 1", SPT, target="go"
    )
    assert outcome(text, "A().go, A.B().go, A.B.C().go")[0].count("bound method") == 3


@pytest.mark.parametrize(
    "other",
    [
        "from own import A\nclass B(A):\n    def load(self): return 1\n",
        "from own import A\nclass M:\n    def load(self): pass\nclass B(A, M):\n    y = 1\n",
        "def save(): pass\n",
        '"""Call save() first."""\n',
    ],
)
def test_what_does_not_matter(other: str) -> None:
    assert candidates(OWN, other) >= 1


@pytest.mark.parametrize(
    "other",
    [
        "from own import A\nclass B(A):\n    def save(self): return 1\n",
        "from own import A\nclass M:\n    def save(self): pass\nclass B(A, M):\n    y = 1\n",
        "from own import A as Z\nclass M:\n    def save(self): pass\nclass B(Z, M):\n    y = 1\n",
        "from own import A\nfrom lib import M\nclass B(A, M):\n    y = 1\n",
        "from own import A\nclass B(A):\n    def __getattr__(self, n): return n\n",
        "hasattr(x, 'save')\n",
        "getattr(x, ('sa' + 've'))\n",
        "getattr(x, 'sa' + rest)\n",
        "name = 'sa_' + rest\nx.save = 1\n",
        "try:\n    x.save()\nexcept AttributeError:\n    pass\n",
        "from typing import Protocol\nclass P(Protocol):\n    def save(self): ...\n",
        "f = attrgetter('a.save')\n",
    ],
)
def test_what_another_file_says(other: str) -> None:
    assert candidates(OWN, other) == 0


def test_bases_in_the_repository() -> None:
    own = "from other import Base\nclass A(Base):\n    x = 1\n"
    assert candidates(own, "class Base:\n    y = 1\n") == 1
    assert candidates(own, "class Base:\n    def save(self): pass\n") == 0
    assert candidates(own, "from abc import ABC\nclass Base(ABC):\n    y = 1\n") == 0
    assert candidates(own, "class Base(metaclass=M):\n    y = 1\n") == 0
    elsewhere = "from django.db import Base\nclass A(Base):\n    x = 1\n"
    assert candidates(elsewhere, "class Base:\n    y = 1\n") == 0


def test_names_put_together_elsewhere() -> None:
    assert candidates(OWN, "m = 'visit_%s' % kind\n", "visit_Name") == 0
    assert candidates(OWN, "m = 'visit_%s' % kind\n", "resolve") == 1


@pytest.mark.parametrize("target", ["import", "foo()", "a b", "", "x\ny", "\ufb01nd"])
def test_a_target_that_is_no_name(target: str) -> None:
    with pytest.raises(TransformError, match="not a name"):
        transform_source(OWN, SPT, seed=1, target=target)
