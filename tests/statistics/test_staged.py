"""Staged studies: no bias from where runs went, and the stated error rate over all looks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from pytest_jagged.contracts.settings import SessionSettings, StudySettings
from pytest_jagged.staging import Allotment, allot, first_allotment, stage_sizes
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.degradation import mean_degradation
from pytest_jagged.statistics.gate import Verdict, verdict_on_increase
from pytest_jagged.statistics.log_ratio import log_ratio
from pytest_jagged.statistics.looks import look_confidence
from pytest_jagged.statistics.samples import Sample
from pytest_jagged.statistics.score import difference_interval, mean_rate, score_interval

SETTINGS = StudySettings(instances=(), runs=20, session=SessionSettings(staged=True))
STAGES = len(stage_sizes(SETTINGS))
Rates = Sequence[tuple[float, float]]
# Instances that look settled by accident, and lean to one side when they do.
HOSTILE: Rates = [(0.85, 0.65), (0.9, 0.75), (0.75, 0.5), (0.95, 0.8), (0.7, 0.6)] * 3
# As published: many at 0 or 1, the rest anywhere.
USUAL: Rates = [(p, p) for p in (0.0, 0.0, 0.05, 0.2, 0.4, 0.5, 0.7, 0.9, 0.95, 1.0, 1.0, 1.0)]


def looks(rates: Rates, rng: np.random.Generator) -> Iterator[list[PairedInstance]]:
    """The cells at the end of each stage of one simulated study."""
    ids = [f"i{number:02d}" for number in range(len(rates))]
    truth = {
        (i, condition): rate
        for i, pair in zip(ids, rates, strict=True)
        for condition, rate in zip(SETTINGS.conditions, pair, strict=True)
    }
    seen: dict[tuple[str, str], list[tuple[bool, int]]] = {arm: [] for arm in truth}
    allotment: Allotment = first_allotment(SETTINGS, ids)
    for stage in range(1, STAGES + 1):
        for arm, count in allotment.items():
            seen[arm] += [(bool(ok), stage) for ok in rng.random(count) < truth[arm]]
        yield [PairedInstance(i, *(_arm(seen[i, c]) for c in SETTINGS.conditions)) for i in ids]
        if stage < STAGES:
            counts = {arm: (len(own), sum(ok for ok, _ in own)) for arm, own in seen.items()}
            allotment = allot(SETTINGS, ids, stage + 1, counts)


def _arm(runs: Sequence[tuple[bool, int]]) -> Arm:
    return Arm(tuple(ok for ok, _ in runs), stages=tuple(stage for _, stage in runs))


def _mean(cells: Sequence[PairedInstance]) -> float:
    return math.fsum(cell.degradation for cell in cells) / len(cells)


def test_the_mean_is_unbiased_where_instances_settle_by_accident() -> None:
    rng = np.random.default_rng(0)
    finals = [list(looks(HOSTILE, rng))[-1] for _ in range(800)]
    truth = math.fsum(p - q for p, q in HOSTILE) / len(HOSTILE)
    bias = math.fsum(map(_mean, finals)) / len(finals) - truth
    assert abs(bias) < 0.005
    assert abs(bias) < 4 * np.std([_mean(cells) for cells in finals]) / math.sqrt(len(finals))


def test_runs_pooled_without_their_stages_would_be_biased() -> None:
    """A rate alone shows it: runs of arms that began alike are fewer than others."""
    rng = np.random.default_rng(1)
    finals = [list(looks([(0.85, 0.85)] * 4, rng))[-1] for _ in range(1500)]
    arms = [arm for cells in finals for cell in cells for arm in (cell.baseline, cell.perturbed)]
    staged = math.fsum(arm.rate for arm in arms) / len(arms)
    pooled = math.fsum(arm.resolved_count / arm.runs for arm in arms) / len(arms)
    assert abs(staged - 0.85) < 0.005
    assert pooled - 0.85 > 0.005


@pytest.mark.parametrize("rates", [USUAL, [(0.8, 0.8)] * 6], ids=["usual", "hostile"])
def test_all_looks_together_raise_false_alarms_as_stated(rates: Rates) -> None:
    rng, studies, alarms, held = np.random.default_rng(2), 500, 0, 0
    for _ in range(studies):
        verdicts, covered = [], []
        for number, cells in enumerate(looks(rates, rng), start=1):
            interval = score_interval(cells, look_confidence(number, STAGES, 0.95))
            verdicts.append(verdict_on_increase(interval, 0.0))
            covered.append(interval.contains(0.0))
        alarms += Verdict.DEGRADED in verdicts
        held += all(covered)
    assert alarms / studies <= 0.05
    assert held / studies >= 0.95


def test_effort_that_goes_with_the_outcome_raises_no_false_alarms() -> None:
    """Failing runs take twice the steps, so that where runs go says something of their steps."""
    rng, alarms, studies = np.random.default_rng(3), 0, 250
    rates: Rates = [(0.8, 0.8), (0.9, 0.9), (0.4, 0.4), (1.0, 1.0), (0.95, 0.95)]
    for _ in range(studies):
        final = list(looks(rates, rng))[-1]
        pairs = [(_steps(cell.baseline, rng), _steps(cell.perturbed, rng)) for cell in final]
        found = log_ratio(pairs, look_confidence(STAGES, STAGES, 0.95))
        assert found is not None
        assert found.change_interval is not None
        alarms += not found.change_interval.contains(0.0)
    assert alarms / studies <= 0.05


def _steps(arm: Arm, rng: np.random.Generator) -> Sample:
    noise = rng.lognormal(3, 0.4, arm.runs)
    values = (n if ok else 2 * n for n, ok in zip(noise, arm.resolved, strict=True))
    return Sample(tuple(map(float, values)), arm.stages)


def test_the_levels_of_all_looks_add_up_to_the_stated_one() -> None:
    levels = [1 - look_confidence(look, 4, 0.95) for look in (1, 2, 3, 4)]
    assert levels == sorted(levels)
    assert math.fsum(levels) == pytest.approx(0.05)
    assert look_confidence(1, 1, 0.95) == pytest.approx(0.95)
    with pytest.raises(ValueError, match="look 5 of 4"):
        look_confidence(5, 4, 0.95)


def test_every_stage_weighs_the_same() -> None:
    """By hand: stage means 1/2, 1, 0, so that the rate is 1/2, not 3/6."""
    arm = Arm((True, False, True, False, False, False), stages=(1, 1, 2, 3, 3, 3))
    assert arm.rate == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert arm.effective_runs == pytest.approx(1 / ((1 / 2 + 1 + 1 / 3) / 9))
    assert Sample((1.0, 3.0, 5.0, 6.0), (1, 1, 2, 2)).mean == pytest.approx((2 + 5.5) / 2)


def test_equal_stages_are_as_no_stages() -> None:
    outcomes = (True, False, True, True, False, True)
    plain, staged = Arm(outcomes), Arm(outcomes, stages=(1, 1, 2, 2, 3, 3))
    cells = [
        PairedInstance("i", arm, Arm((False,) * 6, stages=arm.stages)) for arm in (plain, staged)
    ]
    first, second = (difference_interval(cell, 0.95) for cell in cells)
    assert (first.low, first.high) == pytest.approx((second.low, second.high))
    first, second = (mean_rate([arm], 0.95).interval for arm in (plain, staged))
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_the_bootstrap_redraws_each_stage() -> None:
    """Its variance is Σ wₖ² p(1 − p)/nₖ: here (1/4)(1/8 + 1/2)·p(1 − p) an arm."""
    stages = (1,) * 8 + (2,) * 2
    arm = Arm((True, False) * 5, stages=stages)
    found = mean_degradation(
        [PairedInstance("i", arm, arm)], confidence=0.95, resamples=40000, seed=0
    )
    deviation = math.sqrt(2 * 0.25 * (1 / 8 + 1 / 2) / 4)
    assert found.interval.high == pytest.approx(1.96 * deviation, rel=0.06)
