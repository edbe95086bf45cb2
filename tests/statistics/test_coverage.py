"""The coverage of every interval, pinned: what a reader may believe at 5, 10 and 20 runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_jagged.statistics.coverage import (
    ADEQUATE_COVERAGE,
    bootstrap_coverage,
    expected_bootstrap_coverage,
)
from pytest_jagged.statistics.degradation import mean_degradation
from pytest_jagged.statistics.proportion import newcombe
from pytest_jagged.statistics.score import mean_rate, score_interval
from tests.statistics.arms import cell, counted, varied

RATES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def masses(n: int, rate: float) -> list[float]:
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]


def exact_coverage(n: int, first: float, second: float) -> float:
    one, other, truth = masses(n, first), masses(n, second), first - second
    return math.fsum(
        one[i] * other[j]
        for i in range(n + 1)
        for j in range(n + 1)
        if newcombe(i, n, j, n, 0.95).low <= truth + 1e-12
        and truth - 1e-12 <= newcombe(i, n, j, n, 0.95).high
    )


@pytest.mark.parametrize(
    ("n", "coverage"),
    [
        (5, [0.998, 0.990, 0.962, 0.942, 0.938, 0.939, 0.938, 0.942, 0.962, 0.990, 0.998]),
        (10, [0.999, 0.991, 0.970, 0.963, 0.960, 0.958, 0.960, 0.963, 0.970, 0.991, 0.999]),
        (20, [0.998, 0.983, 0.955, 0.947, 0.952, 0.957, 0.952, 0.947, 0.955, 0.983, 0.998]),
    ],
)
def test_newcombe_without_effect(n: int, coverage: list[float]) -> None:
    assert [exact_coverage(n, rate, rate) for rate in RATES] == pytest.approx(coverage, abs=5e-4)


@pytest.mark.parametrize(("n", "lowest"), [(5, 0.899), (10, 0.909)])
def test_newcombe_over_all_pairs_of_rates(n: int, lowest: float) -> None:
    grid = [round(0.05 * i, 2) for i in range(1, 20)]
    found = [exact_coverage(n, a, b) for a in grid for b in grid if a >= b]
    assert min(found) == pytest.approx(lowest, abs=5e-4)
    assert abs(math.fsum(found) / len(found) - 0.95) < 0.01


def simulated(n: int, instances: int, rate: float, studies: int = 600) -> tuple[float, float]:
    """How often the score interval of the mean holds zero, and how often it lies above."""
    arms = [counted(k, n) for k in range(n + 1)]
    counts = np.random.default_rng(0).binomial(n, rate, (studies, 2, instances))
    held = above = 0
    for one, other in counts:
        pairs = [cell(arms[i].resolved_count, n, j, n) for i, j in zip(one, other, strict=True)]
        interval = score_interval(pairs, 0.95)
        held += interval.contains(0)
        above += interval.low > 0
    return held / studies, above / studies


@pytest.mark.parametrize(
    ("n", "coverage"),
    [
        (5, [0.997, 0.972, 0.943, 0.948, 0.933, 0.937, 0.933, 0.948, 0.943, 0.972, 0.997]),
        (10, [0.980, 0.965, 0.943, 0.948, 0.948, 0.940, 0.948, 0.948, 0.943, 0.965, 0.980]),
        (20, [0.968, 0.947, 0.952, 0.945, 0.943, 0.937, 0.943, 0.945, 0.952, 0.947, 0.968]),
    ],
)
def test_the_score_interval_of_five_instances(n: int, coverage: list[float]) -> None:
    """600 seeded studies: a standard error of 0.009."""
    assert [simulated(n, 5, rate)[0] for rate in RATES] == pytest.approx(coverage, abs=5e-4)


def binomial_bootstrap_coverage(n: int, instances: int, rate: float, studies: int = 300) -> float:
    """Of the real bootstrap, not of the approximation."""
    counts = np.random.default_rng(1).binomial(n, rate, (studies, 2, instances))
    held = 0
    for one, other in counts:
        cells = [cell(int(i), n, int(j), n) for i, j in zip(one, other, strict=True)]
        held += mean_degradation(cells, confidence=0.95, resamples=400, seed=0).interval.contains(0)
    return held / studies


@pytest.mark.parametrize(
    ("n", "coverage"),
    [
        (1, [0.638, 0.465, 0.315, 0.272, 0.242, 0.238, 0.242, 0.272, 0.315, 0.465, 0.638]),
        (2, [0.896, 0.786, 0.772, 0.801, 0.823, 0.818, 0.823, 0.801, 0.772, 0.786, 0.896]),
        (5, [0.952, 0.925, 0.912, 0.908, 0.913, 0.914, 0.913, 0.908, 0.912, 0.925, 0.952]),
        (10, [0.949, 0.941, 0.931, 0.935, 0.938, 0.937, 0.938, 0.935, 0.931, 0.941, 0.949]),
        (20, [0.94, 0.941, 0.943, 0.941, 0.944, 0.941, 0.944, 0.941, 0.943, 0.941, 0.94]),
    ],
)
def test_the_binomial_bootstrap_of_five_instances(n: int, coverage: list[float]) -> None:
    found = [
        bootstrap_coverage([(n, rate)] * 5, [(n, rate)] * 5, confidence=0.95, seed=0)
        for rate in RATES
    ]
    assert found == pytest.approx(coverage, abs=5e-4)


@pytest.mark.parametrize(("n", "rate"), [(2, 0.5), (5, 0.6), (20, 0.5)])
def test_the_expected_coverage_is_what_the_bootstrap_reaches(n: int, rate: float) -> None:
    k = round(n * rate)
    cells = [cell(k, n, k, n)] * 5
    expected = expected_bootstrap_coverage(cells, confidence=0.95, seed=0)
    truth = (k + 0.5) / (n + 1)
    assert expected == pytest.approx(binomial_bootstrap_coverage(n, 5, truth), abs=0.035)


def test_what_is_adequate() -> None:
    few = mean_degradation([cell(3, 5, 2, 5)] * 5, confidence=0.95, resamples=200, seed=0)
    many = mean_degradation([cell(24, 40, 20, 40)] * 5, confidence=0.95, resamples=200, seed=0)
    assert few.expected_coverage < ADEQUATE_COVERAGE < many.expected_coverage
    assert (few.is_too_narrow, many.is_too_narrow) == (True, False)


@pytest.mark.parametrize("counts", [(7, 20, 13, 18), (20, 20, 20, 20), (0, 5, 5, 5), (2, 3, 1, 40)])
def test_one_instance_is_newcombe_exactly(counts: tuple[int, int, int, int]) -> None:
    interval, other = score_interval([cell(*counts)], 0.95), newcombe(*counts, 0.95)
    assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_certain_instances_narrow_the_interval_but_never_to_nothing() -> None:
    certain = [cell(20, 20, 20, 20)] * 13 + [cell(0, 20, 0, 20)] * 13
    even = [cell(10, 20, 10, 20)] * 26
    narrow, wide = score_interval(certain, 0.95), score_interval(even, 0.95)
    assert 0 < narrow.width < 0.1 * wide.width


def test_repeated_variants_count_as_variants() -> None:
    """Four runs of each of two variants that always agree are two units, not eight."""
    repeated = mean_rate([varied("1111", "0000")], 0.95)
    apart = mean_rate([counted(4, 8)], 0.95)
    assert repeated.mean == apart.mean
    assert repeated.independent_runs == 2
    assert repeated.interval.width > 1.4 * apart.interval.width
