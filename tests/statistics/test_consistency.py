"""pass@k, pass^k, worst cases: unbiased, and ReCode's own worked examples."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from pytest_jagged.statistics.cells import PairedInstance
from pytest_jagged.statistics.consistency import consistency, pass_at_k, pass_hat_k
from pytest_jagged.statistics.variance import variance_split
from pytest_jagged.statistics.worst_case import (
    TaskOutcomes,
    nominal_pass,
    robust_drop,
    robust_pass,
    robust_relative,
)
from tests.statistics.arms import cell, counted, varied


@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [(5, 2, 1, 0.4), (5, 2, 2, 0.7), (5, 0, 2, 0), (5, 4, 2, 1), (10, 3, 5, 0.91667)],
)
def test_pass_at_k(n: int, c: int, k: int, value: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_both_are_unbiased(rate: float, k: int) -> None:
    """Exactly: the mean over all outcomes of 7 runs."""
    weights = [math.comb(7, c) * rate**c * (1 - rate) ** (7 - c) for c in range(8)]
    hat = math.fsum(w * pass_hat_k(7, c, k) for c, w in enumerate(weights))
    at = math.fsum(w * pass_at_k(7, c, k) for c, w in enumerate(weights))
    assert hat == pytest.approx(rate**k)
    assert at == pytest.approx(1 - (1 - rate) ** k)


def bits(text: str) -> tuple[bool, ...]:
    return tuple(letter == "1" for letter in text)


# Greedy, one sample, three variants; tasks A to D.
GREEDY = [
    TaskOutcomes(bits("1"), (bits("1"), bits("1"), bits("1"))),
    TaskOutcomes(bits("1"), (bits("1"), bits("0"), bits("1"))),
    TaskOutcomes(bits("0"), (bits("0"), bits("0"), bits("1"))),
    TaskOutcomes(bits("0"), (bits("0"), bits("0"), bits("0"))),
]
SAMPLED = [
    TaskOutcomes(bits("1100"), (bits("1110"), bits("1010"))),
    TaskOutcomes(bits("0000"), (bits("0100"), bits("0000"))),
]


def test_recode_greedy() -> None:
    assert nominal_pass(GREEDY, 1) == 0.5
    assert robust_pass(GREEDY, 1) == 0.25
    assert robust_drop(GREEDY, 1) == 0.5
    assert robust_relative(GREEDY, 1) == robust_relative(GREEDY, 1, as_published=True) == 0.5


def test_recode_sampled_by_definition_and_as_its_code_counts() -> None:
    assert nominal_pass(SAMPLED, 2) == pytest.approx(0.41667, abs=5e-6)
    assert robust_pass(SAMPLED, 2) == pytest.approx(0.41667, abs=5e-6)
    assert robust_drop(SAMPLED, 2) == pytest.approx(0)
    assert robust_relative(SAMPLED, 2) == 0.75
    assert robust_relative(SAMPLED, 2, as_published=True) == pytest.approx(0.66667, abs=5e-6)


def test_a_drop_from_nothing_is_unknown() -> None:
    assert robust_drop([TaskOutcomes(bits("0"), (bits("1"),))], 1) is None
    found = consistency([cell(0, 6, 3, 6)], confidence=0.95, resamples=200, seed=0)
    assert found is not None
    assert found.worst_case is not None
    assert found.worst_case.rd is None
    assert found.worst_case.rp_floor == 0


def test_worst_cases_of_runs_over_variants_by_enumeration() -> None:
    """Every set of s variants, every pairing with a baseline run."""
    baseline, perturbed = "110100", "101100"
    found = consistency(
        [PairedInstance("x", counted(3, 6), counted(3, 6))],
        confidence=0.95,
        resamples=200,
        seed=0,
    )
    assert found is not None
    worst = found.worst_case
    assert worst is not None
    s = worst.variants
    assert s == 5
    chosen = list(combinations(perturbed, s))
    assert worst.rp == pytest.approx(sum(set(c) == {"1"} for c in chosen) / len(chosen))
    pairs = list(product(baseline, chosen))
    assert worst.rr == pytest.approx(sum(set(c) != {b} for b, c in pairs) / len(pairs))
    floor = list(combinations(baseline, s + 1))
    assert worst.rr_floor == pytest.approx(sum(len(set(c)) > 1 for c in floor) / len(floor))


def test_an_agent_that_only_varies_stays_at_the_noise_floor() -> None:
    """p = 0.8 without any sensitivity: RP_5 = 0.328 and RR_5 = 0.738, and no excess."""
    rng = np.random.default_rng(0)
    cells = [
        cell(int(rng.binomial(20, 0.8)), 20, int(rng.binomial(20, 0.8)), 20) for _ in range(200)
    ]
    found = consistency(cells, confidence=0.95, resamples=1000, seed=0)
    assert found is not None
    worst = found.worst_case
    assert worst is not None
    assert worst.rp == pytest.approx(0.328, abs=0.03)
    assert worst.rr == pytest.approx(0.738, abs=0.03)
    assert worst.rp_excess.contains(0)
    assert worst.rr_excess.contains(0)


def test_repeated_variants_enter_by_their_rate() -> None:
    one = PairedInstance("x", counted(2, 3), varied("11", "10", "00"))
    found = consistency([one], confidence=0.95, resamples=200, seed=0)
    assert found is not None
    assert found.pass_hat[2][1] == pytest.approx((1 * 0.5 + 1 * 0 + 0.5 * 0) / 3)
    assert found.pass_at[2][1] == pytest.approx((1 + 1 + 0.5) / 3)


def test_variance_adds_up() -> None:
    """σ² + ν = μ(1 − μ) holds for the estimates too when variants have equally many runs."""
    cells = [
        PairedInstance("a", counted(3, 4), varied("111", "110", "000", "100")),
        PairedInstance("b", counted(3, 4), varied("111", "111", "010", "111")),
    ]
    found = variance_split(cells)
    assert found is not None
    assert found.variant + found.agent == pytest.approx(found.identity)
    assert (found.instances, found.variants) == (2, 8)
    assert variance_split([cell(3, 4, 2, 4)]) is None


@pytest.mark.parametrize(("sigma", "between"), [(0.0, 0.0), (0.3, 0.0), (0.2, 0.15)])
def test_variance_is_split_without_bias(sigma: float, between: float) -> None:
    rng = np.random.default_rng(0)
    cells = []
    for number in range(400):
        centre = 0.5 + between * rng.choice((-1, 1))
        words = [
            "".join("01"[int(rng.random() < rate)] for _ in range(3))
            for rate in centre + sigma * rng.choice((-1, 1), 6)
        ]
        cells.append(PairedInstance(str(number), counted(1, 2), varied(*words)))
    found = variance_split(cells)
    assert found is not None
    assert found.instance is not None
    assert found.variant == pytest.approx(sigma**2, abs=0.012)
    assert found.agent == pytest.approx(0.25 - sigma**2 - between**2, abs=0.012)
    assert found.instance == pytest.approx(between**2, abs=0.012)
