"""Variants of a fixed repository by the real catalogue, as digests to compare between processes."""

from __future__ import annotations

from pathlib import Path

from pytest_jagged import transforms
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.sampling.sampler import draw_variant
from tests.sampling.repository import SHOP, make_instance, settings

# By name, so that a transformation that joins the catalogue leaves these variants as they are.
POOL = (
    "if_else_switcher",
    "and_condition_splitter",
    "comparison_swapper",
    "double_negation_injector",
    "string_literal_splitter",
    "if_true_wrapper",
    "dead_code_injector",
    "dead_string_assignment",
)
KEYWORDS = Keywords(methods=("take", "label"), literals=("cheap item", "not enough in stock"))


def variants(root: Path, count: int = 12) -> list[Variant]:
    instance = make_instance(root, SHOP)
    return [
        draw_variant(
            instance,
            index=index,
            draw=0,
            study_seed=20,
            settings=settings(transformations=POOL),
            keywords=KEYWORDS,
            catalogue=transforms.catalogue(),
        )
        for index in range(1, count + 1)
    ]


def variant_digests(root: Path, count: int = 12) -> list[str]:
    return [_digest(variant) for variant in variants(root, count)]


def _digest(variant: Variant) -> str:
    edits = [[edit.path, (edit.content or b"").decode("latin-1")] for edit in variant.edits]
    sites = [[s.step, s.transformation, s.target, s.path, s.line, s.rule] for s in variant.sites]
    return json_digest([list(variant.transformations), edits, sites])
