"""For Loop Rewriter: iterators are asked, closed and dropped as the `for` statement does it."""

from __future__ import annotations

import pytest

from tests.transforms.rewriting import outcome, reasons, rewritten, same_outcome

SPT = "for_loop_rewriter"

ROWS = """
def f(rows):
    for r in rows:
        for c in r:
            if c: break
        else:
            break
    else:
        return "all rows ok"
    return "bad row"
"""

# A generator whose end can be seen, and loops that leave it in every way.
CLOSING = """
def gen(n=5):
    try:
        for i in range(n):
            yield i
    finally:
        log.append("closed")
def leave(how):
    try:
        for x in gen():
            log.append(x)
            if x == 1:
                if how == "break": break
                if how == "return": return x
                if how == "raise": raise ValueError(x)
                if how == "outer": 1 / 0
        else:
            log.append("else")
        log.append("after")
    except ValueError:
        log.append("handler")
    finally:
        log.append("finally")
def f(how):
    try:
        return leave(how)
    except ZeroDivisionError as e:
        log.append("caller")
        raise
"""


@pytest.mark.parametrize("rows", [[[1], [0]], [[1], [1]], [[0]], [], [[]]])
def test_break_in_the_else_of_an_inner_loop(rows: list[list[int]]) -> None:
    same_outcome(ROWS, SPT, f"f({rows})")


@pytest.mark.parametrize("how", ["", "break", "return", "raise", "outer"])
def test_a_generator_is_closed_at_the_same_moment(how: str) -> None:
    same_outcome(CLOSING, SPT, f"f({how!r})")


@pytest.mark.parametrize(
    "loop",
    [
        "for slots[next(where)] in 'ab':\n        pass",
        "for slots[0] in (1, 2):\n        log.append(slots[0])",
        "for a, (b, *c) in [(1, 'xyz'), (2, 'uv')]:\n        log.append((a, b, c))",
        "for a, b in [(1, 2, 3)]:\n        pass",
        "for (a) in 1, 2:\n        log.append(a)",
        "for a in lambda: 1, lambda: 2:\n        log.append(a())",
        "for a, in [(1,), [2]]:\n        log.append(a)",
        "for a in 5:\n        pass",
        "for a in map(int, '1x'):\n        log.append(a)",
        "for a in(1, 2):\n        log.append(a)",
        "for a in iter(lambda: len(log), 3):\n        log.append(a)",
        "for a in [3, 4]:\n        pass\n    log.append(a)",
        "for a in []:\n        log.append(a)\n    else: log.append('none')",
        "for a in range(3):\n        def g():\n            for a in 'xy':\n"
        "                log.append(a)\n        g()",
    ],
)
def test_targets_and_iterables(loop: str) -> None:
    same_outcome(
        f"def f():\n    slots, where = [0, 0], iter([0])\n    {loop}\n    return slots\n", SPT
    )


def test_stop_iteration_from_unpacking_is_not_swallowed() -> None:
    code = """
    class Odd:
        def __iter__(self): raise StopIteration("mine")
    def f():
        for a, b in [Odd()]:
            pass
    """
    assert outcome(rewritten(code, SPT))[0].startswith("StopIteration: mine")


def test_an_item_lives_no_longer_than_before() -> None:
    same_outcome(
        """
        import weakref
        class Item: pass
        def f():
            seen = []
            for key, value in [(i, Item()) for i in range(3)]:
                seen.append(weakref.ref(value))
                del value
            return [s() is None for s in seen]
        """,
        SPT,
    )


@pytest.mark.parametrize(
    "code",
    [
        "for k in range(3):\n    if k: break\nelse:\n    z = 1\n",
        "for k, l in [(1, 2)]:\n    pass\nelse:\n    z = 1",
        "class Cfg:\n    for k in 'ab':\n        pass\n    else:\n        y = 1\n",
        "def f():\n    class C:\n        for k in [1]:\n            pass\n    return C\n",
    ],
)
def test_no_name_is_left_in_modules_and_classes(code: str) -> None:
    def names(text: str) -> list[list[str]]:
        scope: dict[str, object] = {}
        exec(compile(text, "<names>", "exec"), scope)
        made = scope["f"]() if callable(scope.get("f")) else scope.get("Cfg", scope)  # type: ignore[operator]
        return [sorted(scope), sorted(made if isinstance(made, dict) else vars(made))]

    assert names(rewritten(code, SPT)) == names(code)


def test_loops_of_one_file_share_no_name() -> None:
    lines = [
        f"def f{i}(a):\n    for x, y in a:\n        for z in x:\n            pass\n"
        for i in range(99)
    ]
    text = rewritten("".join(lines), SPT)
    made = [line.split(" = ")[0].strip() for line in text.splitlines() if " = iter(" in line]
    assert len(set(made)) == len(made) == 198


def test_a_method_called_next_does_not_forbid_the_file() -> None:
    code = """
    class A:
        def next(self): return 1
        def f(self, a):
            for x in a:
                pass
    """
    assert "next(" in rewritten(code, SPT)
    outer = """
    def f(a):
        def iter(x): return x
        def g():
            for x in a:
                pass
    """
    assert reasons(outer, SPT) == ["iter, next or StopIteration may be shadowed"]


def test_else_part_that_jumps_outside_a_function() -> None:
    code = "for a in 'ab':\n    for b in a:\n        pass\n    else:\n        continue\n"
    text = rewritten(code, SPT)
    assert "for b in a" in text
