from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.errors import InstanceError
from pytest_jagged.sampling.issue_text import mentioned_literals, mentioned_names
from pytest_jagged.sampling.keywords import keywords_for
from tests.sampling.repository import make_instance

SOURCE = """import re

PATTERN = r"^\\d+ months"
MODE = "strict"


class Duration:
    def total_seconds(self, start):
        if start is None:
            raise ValueError(f"must be called with {start} or end datetime, not with neither")
        return start.replace(year=1)

    def __sub__(self, other):
        raise TypeError("unsupported operand for this duration")

    def test_me(self):
        return len(self.parts)


def parse_all(text):
    return [w for w in re.split(r"\\s+", text)]
"""


def rules(tmp_path: Path, issue: str) -> Keywords:
    instance = make_instance(
        tmp_path, {"pkg/core.py": SOURCE}, gold_files=(), gold_patch="", issue=issue
    )
    return keywords_for(instance)


def test_names_come_from_backticks_calls_dotted_paths_tracebacks_and_prose() -> None:
    issue = """Calling `Duration.total_seconds(start)` fails, see parse_all and also
replace(1) through date.month and `plain`:

    File "core.py", line 3, in helper
      compute_it(x)
"""
    assert mentioned_names(issue) == (
        "total_seconds",
        "parse_all",
        "replace",
        "month",
        "plain",
        "helper",
        "compute_it",
    )


def test_methods_are_those_the_repository_defines_or_calls(tmp_path: Path) -> None:
    issue = "`replace` is called by total_seconds(), not by `frobnicate()`; see `MODE` and `split`."
    assert rules(tmp_path, issue).methods == ("replace", "total_seconds", "split")


def test_dunders_tests_keywords_and_unknown_words_are_no_methods(tmp_path: Path) -> None:
    issue = "`__sub__`, `test_me`, `return`, `import`, `x.y`, `12`, `foo bar`"
    assert rules(tmp_path, issue) == Keywords()


def test_literals_are_quoted_strings_that_the_repository_holds(tmp_path: Path) -> None:
    issue = """With mode "strict" it doesn't work, 'lenient' isn't there either, nor "class"
or "core.py" or "1.2.3"; the pattern `^\\d+ months` is wrong."""
    assert rules(tmp_path, issue).literals == ("strict", "^\\d+ months")


def test_messages_count_whole_or_by_the_words_between_values(tmp_path: Path) -> None:
    issue = """Traceback (most recent call last):
  File "core.py", line 9, in total_seconds
TypeError: unsupported operand for this duration

E   ValueError: must be called with 12 or end datetime, not with neither
"""
    assert rules(tmp_path, issue).literals == (
        "unsupported operand for this duration",
        "must be called with",
        "or end datetime, not with neither",
    )


def test_interpreter_messages_and_single_generic_words_are_left_out(tmp_path: Path) -> None:
    issue = """AttributeError: 'NoneType' object has no attribute 'replace'
ValueError: text"""
    assert rules(tmp_path, issue).literals == ()


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\r", "\u202e", "\u2028", "\u200b"])
def test_no_literal_with_a_control_character(tmp_path: Path, character: str) -> None:
    source = f'A = "evil {character} text"\n'
    instance = make_instance(
        tmp_path,
        {"pkg/core.py": source},
        gold_files=(),
        gold_patch="",
        issue=f'see "evil {character} text"',
    )
    assert all(character not in literal for literal in keywords_for(instance).literals)
    own = replace(instance, keywords=Keywords(literals=(f"evil {character} text",)))
    with pytest.raises(InstanceError, match="control character"):
        keywords_for(own)


def test_the_instances_own_list_wins(tmp_path: Path) -> None:
    given = Keywords(methods=("save", "load", "save"), literals=("a text",))
    instance = replace(
        make_instance(tmp_path, {"a.py": ""}, gold_files=(), issue="`replace`"), keywords=given
    )
    assert keywords_for(instance) == Keywords(("save", "load"), ("a text",))
    none_at_all = replace(instance, keywords=Keywords())
    assert keywords_for(none_at_all) == Keywords()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Keywords(methods=("foo()",)), r"keywords.methods: 'foo\(\)' is no identifier"),
        (Keywords(methods=("import",)), "no identifier"),
        (Keywords(methods=("__len__",)), "special method"),
        (Keywords(methods=("test_x",)), "collected as a test"),
        (Keywords(literals=("",)), "blank"),
        (Keywords(literals=("two\nlines",)), "control character"),
        (Keywords(literals=("x" * 201,)), "longer than 200"),
    ],
)
def test_a_bad_entry_of_an_instance_is_named(tmp_path: Path, given: Keywords, message: str) -> None:
    instance = make_instance(tmp_path, {"a.py": ""}, gold_files=())
    with pytest.raises(InstanceError, match=message):
        keywords_for(replace(instance, keywords=given))


def test_everything_found_stands_in_the_issue() -> None:
    issue = "E  KeyError: \"no such [x] key here\" and 'a b' in `c d (e)` “quoted words too”"
    for literal in mentioned_literals(issue, lambda text: bool(re.search("no|words", text))):
        assert literal in issue
    assert mentioned_literals(issue, lambda text: not text) == ()
