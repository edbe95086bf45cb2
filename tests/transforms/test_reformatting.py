"""The text changes, the code does not: instructions, names and constants are the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pytest_jagged
from pytest_jagged.transforms.reformatting import reformat

FILES = sorted((Path(pytest_jagged.__file__).parent / "transforms").glob("*.py"))


@pytest.mark.parametrize(
    "code",
    [
        "# -*- coding: utf-8 -*-\n'''doc'''\nfrom __future__ import annotations\nx  =  1\n",
        "if a: b = 1; c = 2\nelif d:\n    e = '''x\n  y'''  # why\nelse:\n\tf( 1, 2 )\n",
        "x = f'{a = } {b!r:>{c}}' 'd  e'\r\ny = \\\r\n  1\r\n",
        "@ deco\ndef f(a, *, b = 1) -> int :\n    return ( yield )\n",
        "class A : pass",
        "\x0cdef f(): return 1\n",
        "match x:\n    case [a, b] if a: pass\n    case _: pass\n",
    ],
)
def test_small(code: str) -> None:
    assert ast.dump(ast.parse(reformat(code.encode()))) == ast.dump(ast.parse(code))
    assert reformat(code.encode()) != code.encode()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    source = path.read_bytes()
    assert ast.dump(ast.parse(reformat(source))) == ast.dump(ast.parse(source))
