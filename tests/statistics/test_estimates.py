"""Estimates at the edges: certain rates, unequal runs, unknown values, verdicts."""

from __future__ import annotations

import math

import pytest

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.contracts.settings import FailWhen
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.degradation import mean_degradation
from pytest_jagged.statistics.effort import relative_change
from pytest_jagged.statistics.gate import Verdict, fails, verdict_on_increase
from pytest_jagged.statistics.multiplicity import chance_of_excluding_zero
from pytest_jagged.statistics.samples import all_runs, resolved_runs

OPTIONS = {"confidence": 0.95, "resamples": 2000, "seed": 0}


def arm(resolved: int, n: int, *steps: float | None) -> Arm:
    return Arm(tuple([True] * resolved + [False] * (n - resolved)), steps)


def test_certain_rates_are_flagged_and_given_an_alternative() -> None:
    found = mean_degradation([PairedInstance("a", arm(4, 4), arm(0, 4))], **OPTIONS)  # type: ignore[arg-type]
    assert found.mean == 1.0
    assert found.is_degenerate
    assert found.certain_arms == 2
    assert found.score.width > 0.2
    assert found.is_too_narrow


def test_each_condition_keeps_its_own_number_of_runs() -> None:
    cells = [
        PairedInstance("a", arm(5, 10), arm(1, 2)),
        PairedInstance("b", arm(1, 1), arm(20, 40)),
    ]
    found = mean_degradation(cells, **OPTIONS)  # type: ignore[arg-type]
    assert found.mean == pytest.approx((0 + 0.5) / 2)
    assert found.estimand is Estimand.THESE_INSTANCES


def test_equal_seeds_give_equal_intervals() -> None:
    cells = [PairedInstance("a", arm(7, 10), arm(4, 10))]
    one, two = (mean_degradation(cells, **OPTIONS) for _ in range(2))  # type: ignore[arg-type]
    assert one == two
    other = mean_degradation(cells, confidence=0.95, resamples=2000, seed=1)
    assert other.mean == one.mean


def test_no_instance_is_an_error() -> None:
    with pytest.raises(ValueError, match="no instance"):
        mean_degradation([], **OPTIONS)  # type: ignore[arg-type]


def steps(arm: Arm) -> tuple[float | None, ...]:
    return arm.steps


def test_relative_change_is_the_mean_of_ratios() -> None:
    cells = [
        PairedInstance("a", arm(2, 2, 10, 10), arm(2, 2, 12, 12)),
        PairedInstance("b", arm(2, 2, 1, 3), arm(0, 2, 1, 1)),
    ]
    found = relative_change(cells, all_runs(steps), **OPTIONS)  # type: ignore[arg-type]
    assert found.mean == pytest.approx((0.2 - 0.5) / 2)
    assert found.interval is not None
    assert found.mean is not None
    assert found.interval.contains(found.mean)
    assert math.isfinite(found.interval.low)


def test_instances_without_a_ratio_are_left_out_by_name() -> None:
    cells = [
        PairedInstance("none", arm(1, 1, None), arm(1, 1, 3)),
        PairedInstance("zero", arm(1, 1, 0), arm(1, 1, 3)),
        PairedInstance("unresolved", arm(0, 1, 5), arm(1, 1, 3)),
        PairedInstance("good", arm(1, 1, 2), arm(1, 1, 3)),
    ]
    found = relative_change(cells, resolved_runs(steps), **OPTIONS)  # type: ignore[arg-type]
    assert found.mean == pytest.approx(0.5)
    reasons = {e.instance_id: e.reason for e in found.excluded}
    assert set(reasons) == {"none", "zero", "unresolved"}
    assert reasons["zero"] == "baseline is zero"
    nothing = relative_change(cells[:2], all_runs(steps), **OPTIONS)  # type: ignore[arg-type]
    assert (nothing.mean, nothing.interval, nothing.instances) == (None, None, 0)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "degraded_fails", "robust_fails"),
    [
        (5.1, 9, Verdict.DEGRADED, True, True),
        (5.0, 9, Verdict.INCONCLUSIVE, False, True),
        (-1, 5.0, Verdict.ROBUST, False, False),
        (-9, 5.1, Verdict.INCONCLUSIVE, False, True),
    ],
)
def test_verdicts(
    low: float, high: float, verdict: Verdict, degraded_fails: bool, robust_fails: bool
) -> None:
    found = verdict_on_increase(Interval(low, high), 5)
    assert found is verdict
    assert fails(found, FailWhen.DEGRADED) is degraded_fails
    assert fails(found, FailWhen.NOT_SHOWN_ROBUST) is robust_fails


def test_the_interval_excludes_zero_by_chance_about_as_often_as_it_says() -> None:
    assert 0.02 < chance_of_excluding_zero(0.5, 20, 20, 0.95) < 0.06
    assert chance_of_excluding_zero(1.0, 20, 20, 0.95) == 0.0
