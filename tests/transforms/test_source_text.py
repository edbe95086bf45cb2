"""Bytes that no site covers stay: encodings, byte order marks, line ends, tabs, form feeds."""

from __future__ import annotations

import codecs
import difflib
import io
import tokenize
from collections import Counter

import pytest

from pytest_jagged.transforms import catalogue, transform_source
from tests.transforms.normal_form import KEYWORD, NORMAL_FORMS, normal_form
from tests.transforms.programs import PROGRAMS

CODE = '''#!/usr/bin/env python
# {cookie}
"""Documentation of the module: naïve café."""
import os  # noqa: F401


def total(numbers, limit):  # type: (list, int) -> int
    """Add up."""
    result = 0  # pragma: no cover

    for number in numbers:
        if number < 3 and limit:  # small é
            result += number if limit else 0
        else:  # large
            result -= 1
            text = "münchen text"
    # a comment
    while result > limit:
        result -= 1
        if (result  # within
                > 5):
            continue
    long = """first
  second ünï
\ttabbed
"""
    return result, \\
        long


class Record:
    size = 1
    name = "a name"  #: documented
    data = [1,
  2]
    other = 3
    more = 4
    last = 5
'''


def _spts() -> list[str]:
    return list(catalogue())


def _target(spt: str) -> str | None:
    return KEYWORD if catalogue()[spt].keyword_bound else None


def _bytes(newline: str, encoding: str, bom: bytes = b"") -> bytes:
    cookie = f"-*- coding: {encoding} -*-" if encoding != "utf-8" else "plain"
    text = CODE.replace("{cookie}", cookie).replace("\n", newline)
    return bom + text.encode(encoding)


FORMS = {
    "plain": _bytes("\n", "utf-8"),
    "crlf": _bytes("\r\n", "utf-8"),
    "cr": _bytes("\r", "utf-8"),
    "bom": _bytes("\n", "utf-8", codecs.BOM_UTF8),
    "bom and crlf": _bytes("\r\n", "utf-8", codecs.BOM_UTF8),
    "latin-1": _bytes("\n", "latin-1"),
    "cp1252, crlf": _bytes("\r\n", "cp1252"),
    "utf-8 by cookie": _bytes("\n", "UTF-8"),
    "tabs": _bytes("\n", "utf-8").replace(b"    ", b"\t"),
    "two blanks": _bytes("\n", "utf-8").replace(b"    ", b"  "),
    "no last line end": _bytes("\n", "utf-8").rstrip(b"\n"),
    "blank lines with blanks": _bytes("\n", "utf-8").replace(b"\n\n", b"\n   \n"),
    "form feeds": _bytes("\n", "utf-8").replace(b"\n\n\n", b"\n\x0c\n\n"),
    "mixed line ends": _bytes("\n", "utf-8").replace(b"\n\n", b"\r\n\n"),
}


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("spt", _spts())
def test_only_sites_change(spt: str, form: str) -> None:
    source = FORMS[form]
    compile(source, "<form>", "exec")
    result = transform_source(source, spt, seed=3, target=_target(spt))
    after = result.source
    assert isinstance(after, bytes)
    if not result.sites:
        assert after == source
        return
    compile(after, "<form>", "exec")
    assert not [s for s in result.skipped if s.reason == "result does not compile"]
    assert after.startswith(codecs.BOM_UTF8) == source.startswith(codecs.BOM_UTF8)
    assert _line_ends(after) == _line_ends(source)
    assert source.endswith(b"\n") == after.endswith(b"\n")
    if spt in NORMAL_FORMS:
        assert normal_form(after, spt) == normal_form(source, spt)


def _line_ends(source: bytes) -> set[bytes]:
    return {line[len(line.rstrip(b"\r\n")) :] for line in source.splitlines(keepends=True)} - {b""}


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("spt", _spts())
def test_lines_without_a_site_stay(spt: str, form: str) -> None:
    """With a single site, what is neither in it nor in its block is byte-identical, in order."""
    source = FORMS[form]
    result = transform_source(source, spt, seed=3, target=_target(spt), fraction=0.01)
    assert isinstance(result.source, bytes)
    for site in result.sites:
        before, after = source.splitlines(keepends=True), result.source.splitlines(keepends=True)
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for kind, start, end, _, _ in matcher.get_opcodes():
            if kind != "equal":
                assert site.line - 2 <= start + 1
                assert end <= site.end_line + 40
        assert before[0] == after[0]


@pytest.mark.parametrize("spt", _spts())
def test_comments_survive(spt: str) -> None:
    source = FORMS["plain"].decode()
    result = transform_source(source, spt, seed=3, target=_target(spt))
    assert isinstance(result.source, str)
    lost = _comments(source) - _comments(result.source)
    assert not lost


def _comments(source: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("spt", _spts())
@pytest.mark.parametrize("text", list(PROGRAMS.values()), ids=list(PROGRAMS))
def test_text_and_bytes_are_rewritten_alike(spt: str, text: str) -> None:
    of_text = transform_source(text, spt, seed=3, target=_target(spt))
    of_bytes = transform_source(text.encode(), spt, seed=3, target=_target(spt))
    assert isinstance(of_text.source, str)
    assert of_text.source.encode() == of_bytes.source
    assert of_text.sites == of_bytes.sites


def test_a_text_is_characters_whatever_its_cookie_says() -> None:
    source = "# -*- coding: latin-1 -*-\nx = 'euro €'\n"
    result = transform_source(source, "string_literal_splitter", seed=0)
    assert len(result.sites) == 1
    assert isinstance(result.source, str)
    assert "€" in result.source


def test_escapes_of_a_latin_1_file_stay_escapes() -> None:
    source = b"# -*- coding: latin-1 -*-\nEURO = \"cost \\u20ac5\"\nNAME = 'caf\xe9s'\n"
    result = transform_source(source, "string_literal_splitter", seed=0)
    assert isinstance(result.source, bytes)
    scope: dict[str, object] = {}
    exec(compile(result.source, "<latin>", "exec"), scope)
    assert (scope["EURO"], scope["NAME"]) == ("cost €5", "cafés")
    assert b"\\u20ac" in result.source


def test_form_feeds_inside_blocks_do_not_disable_the_file() -> None:
    source = "def f(a):\n    x = 1\n\x0c\n    y = 2\n    z = 3\n    q = 4\n    return a\n"
    for spt in catalogue():
        result = transform_source(source, spt, seed=0, target="word")
        compile(result.source, "<feed>", "exec")
        assert not [s for s in result.skipped if s.reason == "result does not compile"]


def test_private_characters_of_the_file_stay() -> None:
    """The characters that mark lines while rewriting are chosen beside those of the file."""
    private = "".join(map(chr, range(0xE000, 0xE010)))
    source = (
        f'def f(a):\n    x = """{private}\n{private}"""\n    a += 1\n    a += 2\n    return x\n'
    )
    result = transform_source(source, "if_true_wrapper", seed=0)
    scope: dict[str, object] = {}
    exec(str(result.source), scope)
    assert scope["f"](1) == f"{private}\n{private}"  # type: ignore[operator]
