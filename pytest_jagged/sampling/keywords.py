"""Targets for the keyword-bound transformations: the instance's own list, or rules on the issue."""

from __future__ import annotations

import keyword
import unicodedata

from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.errors import InstanceError
from pytest_jagged.sampling.issue_text import mentioned_literals, mentioned_names
from pytest_jagged.sampling.tree import seed_tree
from pytest_jagged.sampling.vocabulary import Vocabulary, vocabulary

__all__ = ["keywords_for", "literal_fault", "method_fault"]

_LONGEST_LITERAL = 200
# Characters that end a line, hide or reorder text: no place for them in somebody's source.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def keywords_for(instance: Instance) -> Keywords:
    """ExtractKeywords of Algorithm 1, without a model.

    The instance's own list wins. Otherwise what the issue mentions and the repository's source
    files hold: a grep for a keyword must find something, as the paper asks of its model. Empty
    beats weak. The order is that of the issue.

    Raises:
        InstanceError: the instance's own list has an entry that could not stand in a source file.
    """
    if instance.keywords is not None:
        return _checked(instance.id, instance.keywords)
    words = vocabulary(seed_tree(instance), instance)
    issue = instance.problem_statement
    return Keywords(
        methods=tuple(
            name
            for name in mentioned_names(issue)
            if name in words.callables and method_fault(name) is None
        ),
        literals=tuple(
            literal
            for literal in mentioned_literals(issue, words.holds)
            if literal_fault(literal) is None and _is_telling(literal, words)
        ),
    )


def _checked(instance_id: str, given: Keywords) -> Keywords:
    for kind, values, fault_of in (
        ("methods", given.methods, method_fault),
        ("literals", given.literals, literal_fault),
    ):
        for value in values:
            fault = fault_of(value)
            if fault is not None:
                raise InstanceError(
                    f"{instance_id}: keywords.{kind}: {value!r} {fault}; change or remove it"
                )
    return Keywords(tuple(dict.fromkeys(given.methods)), tuple(dict.fromkeys(given.literals)))


def method_fault(name: str) -> str | None:
    """Why *name* cannot be given to a method; None when it can."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return "is no identifier"
    if name.startswith("__") and name.endswith("__"):
        return "is a special method, which Python itself would call"
    if name.lower().startswith("test"):
        return "would be collected as a test"
    return None


def literal_fault(literal: str) -> str | None:
    """Why *literal* cannot stand in a source file; None when it can."""
    if not literal.strip():
        return "is blank"
    if len(literal) > _LONGEST_LITERAL:
        return f"is longer than {_LONGEST_LITERAL} characters"
    if any(unicodedata.category(char) in _REFUSED_CATEGORIES for char in literal):
        return "has a control character"
    return None


def _is_telling(literal: str, words: Vocabulary) -> bool:
    """Several words are telling wherever they stand; one word only as a string of its own."""
    if len(literal) < 2 or not any(char.isalnum() or char in "%{}\\" for char in literal):
        return False
    if len(literal.split()) > 1:
        return True
    return words.quotes(literal)
