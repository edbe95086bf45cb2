"""Try Except Injector: exceptions pass as before, limits of the compiler hold."""

from __future__ import annotations

import pytest

from tests.transforms.rewriting import reasons, rewritten, same_outcome

SPT = "try_except_injector"


@pytest.mark.parametrize(
    "body",
    [
        "a = 1\n    b = 2\n    c = 3\n    d = {}\n    return d[a]",
        "a = 1\n    b = 2\n    c = 3\n    d = 4\n    raise KeyboardInterrupt from None",
        "try:\n        return {}[1]\n    except KeyError:\n        a = 1\n        b = 2\n"
        "        c = 3\n        d = 4\n        raise",
        "try:\n        return {}[1]\n    except KeyError:\n        a = 1\n        b = 2\n"
        "        c = 3\n        d = 4\n        int('x')",
        "out = []\n    for i in range(9):\n        if i == 3:\n            continue\n"
        "        if i == 6:\n            break\n        out.append(i)\n    return out",
    ],
)
def test_exceptions_and_jumps_pass(body: str) -> None:
    catch = (
        "def g():\n    try:\n        return f()\n    except KeyboardInterrupt as e: return 'K'\n"
    )
    same_outcome(f"def f():\n    {body}\n{catch}", SPT, "g()")


def test_generator_closes_as_before() -> None:
    same_outcome(
        """
        def numbers():
            try:
                a = 1
                yield a
                b = 2
                yield b
                log.append("never")
            finally:
                log.append("closed")
        def f():
            it = numbers()
            next(it)
            it.close()
            return list(it)
        """,
        SPT,
    )


def _nested(levels: int) -> str:
    lines = ["def f(a):", "    out = []"]
    for level in range(levels):
        lines.append("    " * (level + 1) + "for _ in a:")
    indent = "    " * (levels + 1)
    return "\n".join([*lines, *(f"{indent}out.append({i})" for i in range(5)), "    return out\n"])


@pytest.mark.parametrize("levels", [1, 8, 12, 19])
def test_nested_blocks_stay_below_the_limit(levels: int) -> None:
    if levels < 19:
        text = rewritten(_nested(levels), SPT)
        compile(text, "<nested>", "exec")
        assert text.count("except Exception:") >= min(levels, 4)
    else:
        assert set(reasons(_nested(levels), SPT)) == {"too many nested blocks"}
