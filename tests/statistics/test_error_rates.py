"""Every gate raises false alarms at most as often as it says, and finds what it promises to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.comparison import compare_studies
from pytest_jagged.statistics.exact import exceeds_margin_p
from pytest_jagged.statistics.gate import Verdict, verdict_on_decrease, verdict_on_increase
from pytest_jagged.statistics.log_ratio import log_ratio
from pytest_jagged.statistics.multiplicity import fisher_p, holm
from pytest_jagged.statistics.power import Design, detectable, noise_of, power_of, runs_needed
from pytest_jagged.statistics.samples import Sample
from pytest_jagged.statistics.score import mean_rate, score_interval
from tests.statistics.arms import cell, counted

# What is stated: 1 − confidence = 5 %; a one-sided 2.5 % is aimed at.
STATED = 0.05
STUDIES = 500


def population(instances: int) -> np.ndarray:
    """Resolve rates as published ones are: many near 0 and 1."""
    return np.random.default_rng(7).beta(0.6, 0.3, instances)


@pytest.mark.parametrize(("instances", "runs"), [(1, 3), (1, 8), (5, 3), (5, 5), (20, 2), (26, 20)])
def test_mean_degradation_gate_without_effect(instances: int, runs: int) -> None:
    rng, rates = np.random.default_rng(0), population(instances)
    degraded = 0
    for _ in range(STUDIES):
        one, other = rng.binomial(runs, rates), rng.binomial(runs, rates)
        cells = [cell(int(i), runs, int(j), runs) for i, j in zip(one, other, strict=True)]
        degraded += verdict_on_increase(score_interval(cells, 0.95), 0.0) is Verdict.DEGRADED
    assert degraded / STUDIES <= STATED


def test_mean_degradation_gate_at_its_margin() -> None:
    """A true degradation of exactly the margin is called degraded, or robust, by chance only."""
    rng, rates = np.random.default_rng(0), np.linspace(0.3, 0.95, 10)
    verdicts = []
    for _ in range(STUDIES):
        one, other = rng.binomial(10, rates), rng.binomial(10, rates - 0.1)
        cells = [cell(int(i), 10, int(j), 10) for i, j in zip(one, other, strict=True)]
        verdicts.append(verdict_on_increase(score_interval(cells, 0.95), 0.1))
    assert verdicts.count(Verdict.DEGRADED) / STUDIES <= STATED
    assert verdicts.count(Verdict.ROBUST) / STUDIES <= STATED


def test_resolve_rate_gate_at_its_floor() -> None:
    rng, rates = np.random.default_rng(0), population(10)
    floor, wrong = float(rates.mean()), 0
    for _ in range(STUDIES):
        arms = [counted(int(k), 8) for k in rng.binomial(8, rates)]
        interval = mean_rate(arms, 0.95).interval
        wrong += verdict_on_decrease(interval, floor) is not Verdict.INCONCLUSIVE
    assert wrong / STUDIES <= 2 * STATED


@pytest.mark.parametrize("runs", [2, 5, 10])
@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_effort_gate_without_effect(runs: int, spread: float) -> None:
    """Runs of very unequal length, as published ones are (spread of ln: 0.2 to 1.1)."""
    rng, degraded = np.random.default_rng(0), 0
    for _ in range(STUDIES):
        pairs = [
            (
                Sample(tuple(rng.lognormal(m, spread, runs))),
                Sample(tuple(rng.lognormal(m, spread, runs))),
            )
            for m in (1, 2, 3, 4, 5)
        ]
        found = log_ratio(pairs, 0.95)
        assert found is not None
        assert found.change_interval is not None
        degraded += verdict_on_increase(found.change_interval, 0.0) is Verdict.DEGRADED
    assert degraded / STUDIES <= STATED


def test_the_mean_of_ratios_would_raise_false_alarms() -> None:
    """Why the effort gate judges logarithms: the paper's mean of ratios is biased upwards."""
    rng = np.random.default_rng(0)
    base, pert = (rng.lognormal(3, 1, (4000, 5)) for _ in range(2))
    assert (pert.mean(1) / base.mean(1) - 1).mean() > 0.2
    assert abs((np.log(pert).mean(1) - np.log(base).mean(1)).mean()) < 0.03


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (5, 8), (20, 20)])
@pytest.mark.parametrize("margin", [0.0, 0.05, 0.3])
def test_the_exact_test_keeps_its_size(n1: int, n2: int, margin: float) -> None:
    table = [
        [exceeds_margin_p(i, n1, j, n2, margin) <= 0.025 for j in range(n2 + 1)]
        for i in range(n1 + 1)
    ]
    for second in np.linspace(0, 1 - margin, 37):
        first = second + margin
        chance = math.fsum(
            math.comb(n1, i)
            * first**i
            * (1 - first) ** (n1 - i)
            * math.comb(n2, j)
            * second**j
            * (1 - second) ** (n2 - j)
            for i in range(n1 + 1)
            for j in range(n2 + 1)
            if table[i][j]
        )
        assert chance <= 0.025 + 1e-4


def test_the_exact_test_at_its_ends() -> None:
    assert exceeds_margin_p(20, 20, 0, 20, 0.0) < 1e-9
    assert exceeds_margin_p(0, 20, 20, 20, 0.0) == 1.0
    assert exceeds_margin_p(20, 20, 0, 20, 1.0) == 1.0
    assert exceeds_margin_p(10, 20, 10, 20, -1.0) < 1e-5


def test_instance_claims_under_no_effect() -> None:
    """Holm over Fisher's p: any false claim among 26 instances, family-wise."""
    rng, rates, any_claim = np.random.default_rng(0), population(26), 0
    for _ in range(STUDIES):
        one, other = rng.binomial(20, rates), rng.binomial(20, rates)
        p_values = [fisher_p(int(i), 20, int(j), 20) for i, j in zip(one, other, strict=True)]
        any_claim += min(holm(p_values)) < 0.05
    assert any_claim / STUDIES <= STATED


def arm_on(variants: np.ndarray, rng: np.random.Generator) -> Arm:
    outcomes = rng.random(len(variants)) < variants
    return Arm(tuple(bool(o) for o in outcomes), variants=tuple(map(str, range(len(variants)))))


@pytest.mark.parametrize("sensitivity", [0.0, 0.45])
def test_regression_gate_without_effect(sensitivity: float) -> None:
    """Two equal agents on the same variants, which matter to them or do not."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(STUDIES):
        earlier: list[PairedInstance] = []
        current: list[PairedInstance] = []
        for number in range(6):
            difficulty = 0.5 + sensitivity * rng.choice((-1, 1), 8)
            for study in (earlier, current):
                baseline = counted(int(rng.binomial(8, 0.7)), 8)
                study.append(PairedInstance(str(number), baseline, arm_on(difficulty, rng)))
        found = compare_studies(earlier, current, name="e", confidence=0.95, by_variant=True)
        assert found is not None
        wrong += found.degradation.interval.low > 0
    assert wrong / STUDIES <= STATED
    apart = compare_studies(earlier, current, name="e", confidence=0.95, by_variant=False)
    assert found is not None
    assert apart is not None
    if sensitivity:
        assert apart.degradation.interval.width > 1.1 * found.degradation.interval.width


@pytest.mark.parametrize(("instances", "runs"), [(10, 10), (26, 20)])
def test_the_power_of_a_plan(instances: int, runs: int) -> None:
    """A degradation of the size that `plan` promises to find is found so often."""
    rates = np.linspace(0.35, 0.95, instances)
    noise = float((rates * (1 - rates)).mean())
    effect = detectable(Design(instances, runs, noise))
    lower = rates - effect
    noise = (noise + float((lower * (1 - lower)).mean())) / 2
    design = Design(instances, runs, noise)
    rng, found = np.random.default_rng(0), 0
    for _ in range(STUDIES):
        one, other = rng.binomial(runs, rates), rng.binomial(runs, lower)
        cells = [cell(int(i), runs, int(j), runs) for i, j in zip(one, other, strict=True)]
        found += score_interval(cells, 0.95).low > 0
    assert found / STUDIES == pytest.approx(power_of(design, effect), abs=0.05)


def test_plans_by_hand() -> None:
    """50 runs (5 × 5 × 2) at the published noise: a half-width of 15 pp, as the field found."""
    design = Design(5, 5, 0.073)
    assert design.half_width == pytest.approx(0.15, abs=0.002)
    needed = runs_needed(design, 0.1)
    assert needed is not None
    enough, short = Design(5, needed, 0.073), Design(5, needed - 1, 0.073)
    assert power_of(enough, 0.1) >= 0.8 > power_of(short, 0.1)
    assert detectable(enough) <= 0.1 < detectable(short)
    assert runs_needed(design, 0.05, margin=0.05) is None
    assert power_of(design, detectable(design, margin=0.05), margin=0.05) == pytest.approx(0.8)


def test_noise_is_unbiased() -> None:
    counts = np.random.default_rng(0).binomial(3, 0.8, 4000)
    assert noise_of([counted(int(k), 3) for k in counts]) == pytest.approx(0.16, abs=0.01)
    assert noise_of([counted(1, 1)]) is None
