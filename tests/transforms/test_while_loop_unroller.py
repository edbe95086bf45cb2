"""While Loop Unroller: rounds, jumps and side effects of the condition stay."""

from __future__ import annotations

import pytest

from tests.transforms.rewriting import reasons, rewritten, same_outcome

SPT = "while_loop_unroller"


@pytest.mark.parametrize("stop", ["break", "continue", "return out", "raise ValueError(n)", "pass"])
@pytest.mark.parametrize("start", [0, 1, 2, 5])
def test_rounds_and_conditions_are_the_same(stop: str, start: int) -> None:
    same_outcome(
        f"""
        def more(n):
            log.append(n)
            return n > 0
        def f():
            n, out = {start}, []
            while more(n):
                n -= 1
                out.append(n)
                if n == 2:
                    {stop}
                k = n
                while k:
                    k -= 1
                    if k == 1:
                        break
                    out.append((n, k))
            return out
        """,
        SPT,
    )


def test_yield_and_send() -> None:
    same_outcome(
        """
        def echo():
            got = 0
            while got < 3:
                got = yield got
                log.append(got)
        def f():
            it = echo()
            return [next(it), it.send(1), it.send(2), list(it)]
        """,
        SPT,
    )


def test_nested_loops_do_not_explode() -> None:
    lines = ["def f(a):"]
    lines += ["    " * (level + 1) + "while a:" for level in range(7)]
    lines += ["    " * 8 + "a -= 1"]
    text = rewritten("\n".join(lines) + "\n", SPT)
    assert text.count("\n") < 70  # seven levels of doubling would give over 500


def test_a_body_that_warns_is_left_alone() -> None:
    code = """
    import warnings
    def f(n):
        while n:
            n -= 1
            warnings.warn("told once per line")
    """
    assert reasons(code, SPT) == ["warnings are told once per line"]
