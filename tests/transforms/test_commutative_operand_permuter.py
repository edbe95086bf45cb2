"""Commutative Operand Permuter: numbers only, associated as before, evaluated as before."""

from __future__ import annotations

import pytest

from tests.transforms.rewriting import reasons, rewritten, same_outcome

SPT = "commutative_operand_permuter"


@pytest.mark.parametrize(
    "expression",
    [
        "7 // 2 * 2",
        "10 % 3 * 4",
        "0.1 + 0.2 + 0.3",
        "0.1 + (0.2 + 0.3)",
        "0.1*3*0.7+1e16+1.0",
        "-2 * 3 ** 2 + 1",
        "1 - 2 + 3",
        "(1 +\n        2) * 3",
        "len(xs)+1",
        "2 * len(xs) ** 2 & 7 | 8 ^ 3",
        "True & False | True",
        "1 + 2j * 3",
        "len(5) + 1",
    ],
)
def test_values_stay(expression: str) -> None:
    same_outcome(f"def f(xs='abc'):\n    return {expression}\n", SPT)


def test_each_operation_of_a_chain_is_a_site() -> None:
    assert rewritten("x = 0.1 + 0.2 + 0.3\n", SPT) == "x = 0.3 + (0.2 + 0.1)\n"


def test_counters_are_followed() -> None:
    same_outcome(
        """
        def f():
            total = 0
            for i in range(5):
                total += i
                last = total * i + 1
            for k, c in enumerate('ab'):
                last = last + k
            return last
        """,
        SPT,
    )


@pytest.mark.parametrize(
    "body",
    [
        "n = 1\n    def g():\n        nonlocal n\n        n = 'a'\n    return n + 2",
        "if a:\n        n = 1\n    return n + len(a)",
        "n = 1\n    del n\n    return n + len(a)",
        "n = 1\n    for n in a:\n        n + 2",
        "n, k = a\n    return n + 2",
        "n: int = a\n    return n + 2",
    ],
)
def test_what_is_not_certain(body: str) -> None:
    assert reasons(f"def f(a):\n    {body}\n", SPT)


def test_functions_of_the_file() -> None:
    code = "def size(x):\n    return 3\n\ndef f(x):\n    return size(x) * 2\n"
    assert "2 * size(x)" in rewritten(code, SPT)
    assert reasons("@wrap\n" + code, SPT) == ["operand not known to be a number"]
