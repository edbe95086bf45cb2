"""Lines that each parser reads in its own way."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.contracts.log_marks import END_MARK, START_MARK
from pytest_jagged.errors import ConfigError
from pytest_jagged.evaluation.log_parsers import find_parser, has_parser
from pytest_jagged.evaluation.log_parsers.markers import read_log

P, F, E, S, X = (
    TestStatus.PASSED,
    TestStatus.FAILED,
    TestStatus.ERROR,
    TestStatus.SKIPPED,
    TestStatus.XFAILED,
)


LINES: list[tuple[str, str, dict[str, TestStatus]]] = [
    (
        "pytest",
        "PASSED a.py::t[x y]\nFAILED a.py::u - x\nXFAIL a.py::v",
        {"a.py::t[x": P, "a.py::u": F, "a.py::v": X},
    ),
    ("pytest", "SKIPPED [3] a.py:1: why\nPASSED [100%]", {"[100%]": P}),
    ("pytest", "PASSED a\nERROR: a", {}),
    ("pytest", "ERROR a.py - ImportError", {"a.py": E}),
    (
        "pytest_options",
        "PASSED t[/a/b/c.py]\nPASSED u[//a/b]\nPASSED v[x/y]",
        {"t[/c.py]": P, "u[//a/b]": P, "v[x/y]": P},
    ),
    ("pytest_v2", "\x1b[32mPASSED\x1b[0m t[a b]\nu[c d] SKIPPED\r", {"t[a b]": P, "u[c d]": S}),
    ("pytest_v2", "FAILED t[a - b] - assert 1", {"t[a": F}),
    (
        "pytest_verbose",
        "a.py::t[x y] PASSED   [ 12%]\na.py::u SKIPPED (why)  [ 99%]\nFAILED a.py::v",
        {"a.py::t[x y]": P, "a.py::u": S},
    ),
    (
        "seaborn",
        "a.py::t PASSED [ 1%]\nFAILED a.py::u - x\na.py::v SKIPPED\nPASSED a.py::w",
        {"a.py::t": P, "a.py::u": F, "a.py::w": P},
    ),
    ("matplotlib", "PASSED t[MouseButton.LEFT]", {"t[1]": P}),
    (
        "sympy",
        "test_a ok\ntest_b F\ntest_c E\ntest_d ok   [OK]",
        {"test_a": P, "test_b": F, "test_c": E},
    ),
    (
        "sympy",
        "____ sympy/core/tests/test_x.py:test_e ____",
        {"sympy/core/tests/test_x.py:test_e": F},
    ),
    (
        "django",
        "test_a (m.C) ... ok\ntest_b (m.C) ... FAIL\ntest_c (m.C) ... ERROR",
        {"test_a (m.C)": P, "test_b (m.C)": F, "test_c (m.C)": E},
    ),
    (
        "django",
        "test_a (m.C) ... noise\nok\ntest_b (m.C) ... skipped 'why'",
        {"test_a (m.C)": P, "test_b (m.C)": S},
    ),
    ("django", "FAIL: test_a (m.C)\nERROR: test_b (m.C)", {"test_a": F, "test_b": E}),
]


@pytest.mark.parametrize(("parser", "log", "tests"), LINES)
def test_lines(parser: str, log: str, tests: dict[str, TestStatus]) -> None:
    assert find_parser(parser)(log) == tests


def test_the_suite_is_what_stands_between_the_marks() -> None:
    parser = find_parser("pytest")
    data = f"PASSED before\n+ : '{START_MARK}'\nPASSED a\n+ : '{END_MARK}'\nPASSED after\n".encode()
    found = read_log(data, parser)
    assert (found.tests, found.trouble) == ({"a": P}, "")
    torn = read_log(f"{START_MARK}\nPASSED a\n".encode(), parser)
    assert (torn.tests, torn.trouble) == ({"a": P}, "suite broke off")
    outside = read_log(f"{START_MARK}\n{END_MARK}\nFAILED a\xff".encode("latin-1"), parser)
    assert list(outside.tests.values()) == [F]
    assert read_log(b"1%\r2%\rPASSED a\r\n", parser).tests == {"a": P}


def test_names() -> None:
    assert has_parser("parse_log_django")
    assert has_parser("xarray")
    assert not has_parser("parse_log_jest")
    assert find_parser("parse_log_flask") is find_parser("pytest")
    with pytest.raises(ConfigError, match=r"no log parser 'djagno'; did you mean 'django'\?"):
        find_parser("djagno")
