"""Where published implementations of these transformations changed behaviour or lost files."""

from __future__ import annotations

import pytest

from pytest_jagged.errors import TransformError
from pytest_jagged.transforms import transform_source
from pytest_jagged.transforms.dead_string_assignment import COMMON_NAMES
from tests.transforms.rewriting import outcome, reasons, rewritten, same_outcome

# -- if_else_switcher, and_condition_splitter ----------------------------------------------------


def test_a_global_in_one_branch_is_not_moved_behind_its_use() -> None:
    code = """
    def f(a):
        if a:
            global x
            x = 1
        else:
            x = 2
        return x
    """
    assert reasons(code, "if_else_switcher") == ["global or nonlocal in a branch"]


def test_a_nonlocal_of_a_nested_function_is_its_own_business() -> None:
    same_outcome(
        """
        def f(a=1):
            n = 0
            if a:
                def step():
                    nonlocal n
                    n += 1
                step()
            else:
                n = 5
            return n
        """,
        "if_else_switcher",
    )


def test_a_global_in_the_else_part_is_not_copied() -> None:
    code = """
    def f(a, b):
        if a and b:
            return 1
        else:
            global x
            x = 5
        return x
    """
    assert reasons(code, "and_condition_splitter") == ["global or nonlocal in the else part"]


def test_chains_of_conjunctions_do_not_explode() -> None:
    code = "if a and b:\n    x = 0\n"
    code += "".join(f"elif a{i} and b{i}:\n    x = {i}\n" for i in range(16))
    code += "else:\n    x = 99\n"
    text = transform_source(code, "and_condition_splitter", seed=0).source
    assert isinstance(text, str)
    assert text.count("\n") < 2 * code.count("\n")


@pytest.mark.parametrize("depth", [3, 6])
def test_nested_conjunctions_do_not_explode(depth: int) -> None:
    lines = []
    for level in range(depth):
        pad = "    " * level
        lines += [f"{pad}if a{level} and b{level}:", f"{pad}    x = {level}", f"{pad}else:"]
    lines.append("    " * depth + "x = 'end'")
    code = "\n".join(lines) + "\n"
    text = transform_source(code, "and_condition_splitter", seed=0).source
    assert isinstance(text, str)
    assert text.count("\n") < 3 * code.count("\n")


# -- comparison_swapper --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    it = iter([1, 2])\n    return next(it) < next(it)\n",
        'def f(d={}):\n    return d["a"] < d["b"]\n',
        "def f():\n    return (n := 3) < n\n",
        "class S:\n    def __lt__(self, o): return 'lt'\ndef f():\n    return S() < S()\n",
        "def f(a, b):\n    return a.shape <= b.shape\n",
        "class Sat(int):\n    def __lt__(self, o): return 'own'\ndef f(): return Sat(1) < 1.5\n",
    ],
)
def test_comparisons_that_could_notice_are_not_swapped(code: str) -> None:
    assert reasons(code, "comparison_swapper") == ["operands of unknown kind"]


def test_overloads_are_asked_as_before_when_a_literal_is_there() -> None:
    same_outcome(
        """
        class S:
            def __lt__(self, o): return ("lt", o)
            def __gt__(self, o): return ("gt", o)
        class N(int):
            def __le__(self, o): return ("le", o)
            def __ge__(self, o): return ("ge", o)
        def f():
            return (S() < 3, 3 < S(), S() > "text", b"x" > S(), N(1) <= 3, 3 >= N(4), N() < 2)
        """,
        "comparison_swapper",
    )


# -- spacing: one bad site used to disable the file ----------------------------------------------


@pytest.mark.parametrize(
    ("spt", "code"),
    [
        ("double_negation_injector", "def f(x=1):\n    if(x):\n        return 1\n"),
        ("double_negation_injector", "def f(x=3):\n    while(x):x-=1\n    return x\n"),
        ("double_negation_injector", "def f(x=3):\n    if[x]:return 1\n"),
        ("comparison_swapper", "def f(a=1):\n    return not(a) <2\n"),
        ("comparison_swapper", "def f(a='c'):\n    return[x for x in'ab'if(x)<'c'if(a)>'b']\n"),
        ("comparison_swapper", "def f(a='c'):\n    return a<'b'if(a)>'a'else-1\n"),
        ("if_else_switcher", "def f(t=1):\n    return 1 if(t)else 2\n"),
        ("if_else_switcher", "def f(t=1):\n    return(t)if t else[t]if(t)else{t}\n"),
        ("string_literal_splitter", "def f(t=1):\n    return'text'if t else'more'\n"),
        ("and_condition_splitter", "def f(t=1):\n    if(t)and(t):\n        return 1\n"),
    ],
)
def test_words_that_touch_are_kept_apart(spt: str, code: str) -> None:
    same_outcome(code, spt)


# -- string_literal_splitter ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "literal",
    [
        r'"a\x001b"',
        r'"\0001\x00\0"',
        r"'\1234\x41\u00e9\U0001F600\N{BULLET}x'",
        r'"\ud800\udc00xyz"',
        r'"it\'s \"so\" \\ \a\b\f\n\r\t\v"',
        '"continued \\\nline"',
        '"invalid \\d escape"',
        "'😀😀é́x'",
    ],
)
def test_every_cut_keeps_the_value(literal: str) -> None:
    code = f"def f():\n    return {literal}\n"
    compiled = outcome(code.replace("\\d", "\\\\d"))[0] if "\\d" in code else outcome(code)[0]
    texts = set()
    for seed in range(25):
        text = str(transform_source(code, "string_literal_splitter", seed=seed).source)
        texts.add(text)
        if "\\d" not in code:
            assert outcome(text)[0] == compiled, text
    assert len(texts) > 2
    assert code not in texts


def test_docstrings_on_the_headers_line_stay() -> None:
    code = (
        'class Missing(Exception): "raised when a record is absent"\ndef f(): "says what it does"\n'
    )
    assert reasons(code, "string_literal_splitter") == ["a string statement"] * 2


def test_build_scripts_keep_their_literals() -> None:
    code = "setup(name='package', version='1.2.3')\n"
    for path, sites in (("setup.py", 0), ("sub/setup.py", 0), ("package/core.py", 2)):
        result = transform_source(code, "string_literal_splitter", seed=0, path=path)
        assert len(result.sites) == sites, path


def test_literals_keep_their_identity() -> None:
    same_outcome(
        "def f():\n    a = 'identical'\n    return a is 'ident' 'ical', {'one': 1}['one']\n",
        "string_literal_splitter",
    )


# -- if_true_wrapper, dead_code_injector ---------------------------------------------------------

BLOCK = """
def f(a=5):
    '''The documentation.'''
    total = a
    for step in range(3):
        total += step
        total *= 2
        total -= 1
        total %= 97
        total ^= a
    return total, f.__doc__
"""


@pytest.mark.parametrize("spt", ["if_true_wrapper", "dead_code_injector"])
def test_insertions_have_no_watermark(spt: str) -> None:
    """Between seeds and sites no inserted line is the same everywhere, bar the dead guard."""
    inserted = []
    for seed in range(12):
        lines = rewritten(BLOCK, spt, seed=seed).splitlines()
        new = [line.strip() for line in lines if line.strip() not in BLOCK]
        assert new
        inserted += [line for line in new if line != "if False:"]
    assert len(set(inserted)) > len(inserted) / 2
    names = {line.split(" = ")[0] for line in inserted if " = " in line}
    if spt == "dead_code_injector":
        assert len(names) > 6
        words = {word for name in names for word in name.split("_")}
        assert words & {"total", "step", "range"}


@pytest.mark.parametrize("spt", ["if_true_wrapper", "dead_code_injector"])
def test_documented_blocks_are_candidates_behind_their_docstring(spt: str) -> None:
    same_outcome(BLOCK, spt)
    assert rewritten(BLOCK, spt).startswith("\ndef f(a=5):\n    '''The documentation.'''\n    if ")


def test_guards_are_true_for_many_seeds() -> None:
    for seed in range(150):
        assert outcome(rewritten(BLOCK, "if_true_wrapper", seed=seed)) == outcome(BLOCK)


@pytest.mark.parametrize(("lines", "sites"), [(4, 0), (5, 1), (100, 1), (101, 0)])
def test_only_blocks_of_5_to_100_lines_are_wrapped(lines: int, sites: int) -> None:
    code = "def f(a):\n" + "    a += 1\n" * lines
    assert transform_source(code, "if_true_wrapper", seed=0).candidates == sites


# -- dead_string_assignment ----------------------------------------------------------------------


def test_names_of_nested_functions_are_not_captured() -> None:
    code = """
    result = value = data = tmp = 41
    def f():
        def inner(): return result + value + data + tmp
        return inner()
    """
    for seed in range(40):
        text = rewritten(code, "dead_string_assignment", seed=seed, target="word")
        assert outcome(text) == outcome(code.replace("\n    ", "\n"))


def test_names_that_queries_look_up_are_not_captured() -> None:
    query = " ".join(f"@{name}" for name in COMMON_NAMES)
    code = f"def f(table):\n    return table.query('{query}')\n"
    text = rewritten(code, "dead_string_assignment", target="keyword")
    assert not {line.split(" = ")[0].strip() for line in text.splitlines()} & set(COMMON_NAMES)


@pytest.mark.parametrize(
    "body",
    [
        "a = 1\n    return dir()",
        "a = 1\n    return locals()",
        "a = 1\n    return vars()",
        "a = 1\n    exec('b = a')",
        "return eval('1 + 1')",
        "return currentframe().f_locals",
        "return sys._getframe().f_locals",
        "return [locals() for _ in 'a']",
        "return (lambda: dir())()",
        "return f.__code__.co_varnames",
    ],
)
def test_functions_that_look_at_their_names_are_left_alone(body: str) -> None:
    code = f"def f():\n    {body}\n"
    assert set(reasons(code, "dead_string_assignment", target="word")) == {"looks at its locals"}


@pytest.mark.parametrize(
    "keyword",
    [
        'expected "a"',
        "C:\\users\\new",
        '""',
        "it's",
        """both ' and " of them""",
        r"\d+\s*",
        "\\",
        "ends with \\",
        "#: not a comment",
        '"; import os; os.abort(); "',
        "'''",
        '"""',
        "{braces} %s",
        "naïve café €",
        "😀 emoji",
        "x" * 500,
    ],
)
def test_keywords_are_data(keyword: str) -> None:
    code = "def f():\n    return 1\n"
    for source in (code, b"# coding: latin-1\n" + code.encode()):
        result = transform_source(source, "dead_string_assignment", seed=0, target=keyword)
        assert len(result.sites) == 1
        compiled = compile(result.source, "<keyword>", "exec")
        constants = next(c for c in compiled.co_consts if hasattr(c, "co_consts")).co_consts
        assert keyword in constants
        text = result.source if isinstance(result.source, str) else result.source.decode("latin-1")
        assert len(text.splitlines()) == len(source.splitlines()) + 1


@pytest.mark.parametrize(
    "keyword", ["two\nlines", "nul\0", "bell\a", "\ud800", "", "line\u2028sep"]
)
def test_keywords_that_no_literal_shows_are_refused(keyword: str) -> None:
    with pytest.raises(TransformError, match="target"):
        transform_source(
            "def f():\n    return 1\n", "dead_string_assignment", seed=0, target=keyword
        )


def test_nothing_goes_before_docstrings_or_behind_terminators() -> None:
    code = """
    def f(a):
        "documentation"
        while a:
            a -= 1
            if a == 2:
                continue
                print("never")
            break
            print("never")
        return f.__doc__, a
        print("never")
    """
    text = rewritten(code, "dead_string_assignment", target="word")
    assert outcome(text, "f(5)") == outcome(rewritten(code, "double_negation_injector"), "f(5)")
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if "word" in line:
            assert not lines[index - 1].strip().startswith(("continue", "break", "return"))
            assert "documentation" not in lines[index + 1]


def test_dead_names_do_not_look_alike() -> None:
    code = "def f(a):\n" + "    a += 1\n" * 60 + "    return a\n"
    text = rewritten(code, "dead_string_assignment", target="word")
    names = {line.split("=")[0].strip() for line in text.splitlines() if "word" in line}
    assert len(names) > 25
