from __future__ import annotations

import random
from collections import Counter

from pytest_jagged.contracts.digests import derive_generator
from pytest_jagged.contracts.instance import Keywords
from pytest_jagged.sampling.targets import assign_target_names
from tests.sampling.repository import AppendComment

FREE = AppendComment("if_true_wrapper")
METHODS = AppendComment("dead_method_injection", keyword_bound=True)
STRINGS = AppendComment("dead_string_assignment", keyword_bound=True)
KEYWORDS = Keywords(methods=("load", "save"), literals=tuple(f"text {n}" for n in range(8)))


def stream(*purpose: str) -> random.Random:
    return derive_generator(7, *purpose)


def test_one_pair_per_target_in_the_drawn_order() -> None:
    bound = assign_target_names([STRINGS, FREE, METHODS], KEYWORDS, 3, stream)
    names = [transformation.name for transformation, _ in bound]
    assert (
        names
        == ["dead_string_assignment"] * 3 + ["if_true_wrapper"] + ["dead_method_injection"] * 2
    )
    targets = [target for _, target in bound]
    assert len(set(targets[:3])) == 3
    assert set(targets[:3]) <= set(KEYWORDS.literals)
    assert targets[3] is None
    assert set(targets[4:]) == {"load", "save"}


def test_no_candidates_gives_one_pair_without_a_target() -> None:
    bound = assign_target_names([METHODS, STRINGS], Keywords(literals=("a b",)), 5, stream)
    assert bound == ((METHODS, None), (STRINGS, "a b"))


def test_targets_are_drawn_uniformly() -> None:
    counts: Counter[str | None] = Counter()
    for seed in range(800):
        bound = assign_target_names(
            [STRINGS], KEYWORDS, 3, lambda *p, seed=seed: derive_generator(seed, *p)
        )
        counts.update(target for _, target in bound)
    assert sum(counts.values()) == 2400
    # 300 expected of each; the standard deviation is 13.7.
    assert all(abs(counts[text] - 300) < 60 for text in KEYWORDS.literals)


def test_one_transformations_targets_do_not_shift_the_others() -> None:
    alone = assign_target_names([STRINGS], KEYWORDS, 2, stream)
    after = assign_target_names([METHODS, STRINGS], KEYWORDS, 2, stream)
    assert after[2:] == alone
