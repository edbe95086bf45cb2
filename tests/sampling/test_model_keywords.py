"""What a model names is believed as far as the issue bears it out."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.errors import ModelServiceFailure
from pytest_jagged.sampling.model_keywords import check_keywords, request_digest

ISSUE = """`Loader.load_all("x")` raises "unknown unit: %s" for `parse_size`.
  File "sizes/core.py", line 40, in _split
"""


def test_what_the_issue_holds_is_kept_in_the_models_order() -> None:
    answer = {
        "methods": ["parse_size", "Loader.load_all", "_split", "load_all()", "parse_size"],
        "literals": ["unknown unit: %s"],
    }
    kept, dropped = check_keywords(answer, ISSUE)
    assert kept == Keywords(("parse_size", "load_all", "_split"), ("unknown unit: %s",))
    assert dropped == ()


def test_inventions_and_what_cannot_stand_in_code_are_dropped() -> None:
    answer = {
        "methods": ["size", "load", "raises it", "in", "parse_sizes"],
        "literals": ["no such message", "", 'core.py", line 40, in _split\n'],
    }
    kept, dropped = check_keywords(answer, ISSUE)
    assert kept == Keywords()
    assert len(dropped) == 8


@pytest.mark.parametrize("answer", [{"methods": "parse_size"}, {"methods": [1]}, {"literals": {}}])
def test_another_shape_is_the_models_failure(answer: dict[str, object]) -> None:
    with pytest.raises(ModelServiceFailure, match="no list of texts"):
        check_keywords(answer, ISSUE)


def test_each_model_and_issue_is_asked_for_itself() -> None:
    asked = {request_digest(model, issue) for model in ("a", "b") for issue in ("x", "y")}
    assert len(asked) == 4
