"""The examples that every SPT carries as class data, which are its documentation too."""

from __future__ import annotations

import ast
import inspect

import pytest

from pytest_jagged.transforms import catalogue, transform_source
from pytest_jagged.transforms.splicing import Example, Splicing
from tests.transforms.normal_form import NORMAL_FORMS, normal_form


def _spts() -> list[Splicing]:
    return [spt for spt in catalogue().values() if isinstance(spt, Splicing)]


def _examples(kind: str) -> list[object]:
    return [
        pytest.param(spt.name, example, id=f"{spt.name}: {example.says}")
        for spt in _spts()
        for example in getattr(spt, kind)
    ]


@pytest.mark.parametrize(("spt", "example"), _examples("APPLIES"))
@pytest.mark.parametrize("seed", [0, 1])
def test_every_candidate_of_an_example_is_rewritten(spt: str, example: Example, seed: int) -> None:
    result = transform_source(example.code, spt, seed=seed, target=example.target)
    assert result.candidates >= 1
    assert len(result.sites) == result.candidates
    assert result.source != example.code
    compile(result.source, "<example>", "exec")


@pytest.mark.parametrize(("spt", "example"), _examples("SKIPS"))
def test_what_must_be_skipped_is_unchanged(spt: str, example: Example) -> None:
    result = transform_source(example.code, spt, seed=0, target=example.target)
    assert result.sites == ()
    assert result.candidates == 0
    assert result.source == example.code


@pytest.mark.parametrize("spt", _spts(), ids=lambda spt: spt.name)
def test_every_spt_is_documented(spt: Splicing) -> None:
    assert len(spt.APPLIES) >= 2
    assert spt.SKIPS
    assert inspect.getdoc(type(spt))
    for example in (*spt.APPLIES, *spt.SKIPS):
        ast.parse(example.code)


@pytest.mark.parametrize("spt", sorted(NORMAL_FORMS))
def test_examples_keep_their_normal_form(spt: str) -> None:
    found = catalogue()[spt]
    assert isinstance(found, Splicing)
    for example in found.APPLIES:
        result = transform_source(example.code, spt, seed=5, target=example.target)
        if not found.keyword_bound:
            assert normal_form(result.source, spt) == normal_form(example.code, spt)
