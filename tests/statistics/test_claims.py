"""p-values and their adjustment, Student's t, ranks: against scipy and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_jagged.statistics.attribution import PerturbedVariant, attribution
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.concentration import concentration
from pytest_jagged.statistics.effort import relative_change
from pytest_jagged.statistics.log_ratio import log_ratio
from pytest_jagged.statistics.multiplicity import benjamini_hochberg, fisher_p, holm
from pytest_jagged.statistics.ranks import kendall_tau, rank_models
from pytest_jagged.statistics.samples import Sample, all_runs
from pytest_jagged.statistics.student import t_quantile, t_two_sided_p
from tests.statistics.arms import cell

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("df", [1, 1.5, 2, 3.7, 10, 55, 1000])
def test_student(df: float) -> None:
    for confidence in (0.8, 0.95, 0.999):
        expected = stats.t.ppf(0.5 + confidence / 2, df)
        assert t_quantile(confidence, df) == pytest.approx(expected, rel=1e-9)
    for t in (0.0, 0.3, -2.1, 9):
        assert t_two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9)


@pytest.mark.parametrize(
    "counts", [(11, 20, 1, 20), (20, 20, 20, 20), (0, 3, 3, 3), (7, 20, 13, 18)]
)
def test_fisher(counts: tuple[int, int, int, int]) -> None:
    k1, n1, k2, n2 = counts
    expected = stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue
    assert fisher_p(*counts) == pytest.approx(expected, rel=1e-9)


def test_fisher_of_the_unmutated_instance_that_carried_the_headline() -> None:
    """element-web dae13ac8, Opus with mini-SWE-agent: 11/20 to 1/20 on code nobody changed."""
    assert round(fisher_p(11, 20, 1, 20), 4) == 0.0012


def test_adjustments() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    values = [0.2, 0.001, 0.04, 0.04, 0.9, 0.013]
    assert holm(values) == pytest.approx(multitest.multipletests(values, method="holm")[1])
    expected = multitest.multipletests(values, method="fdr_bh")[1]
    assert benjamini_hochberg(values) == pytest.approx(expected)
    assert holm([]) == benjamini_hochberg([]) == ()


def test_the_log_ratio_of_one_instance_is_welchs_test() -> None:
    rng = np.random.default_rng(0)
    base, pert = rng.lognormal(1, 0.5, 7), rng.lognormal(1.2, 0.9, 5)
    found = log_ratio([(Sample(tuple(base)), Sample(tuple(pert)))], 0.95)
    assert found is not None
    assert found.interval is not None
    welch = stats.ttest_ind(np.log(pert), np.log(base), equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    assert found.degrees_of_freedom == pytest.approx(welch.df)


def test_log_ratios_that_cannot_be_had() -> None:
    assert log_ratio([(Sample((0.0, 1.0)), Sample((1.0, 2.0)))], 0.95) is None
    single = log_ratio([(Sample((2.0,)), Sample((4.0,)))], 0.95)
    assert single is not None
    assert single.interval is None
    assert single.change == pytest.approx(1.0)
    assert "one run" in str(single.reason)
    mixed = log_ratio(
        [(Sample((2.0,)), Sample((4.0,))), (Sample((1.0, 2.0)), Sample((1.0, 3.0)))], 0.95
    )
    assert mixed is not None
    assert mixed.interval is not None


def test_the_bootstrap_of_effort_is_that_of_single_draws() -> None:
    """One table of weights, shuffled for each arm, against drawing every run anew."""
    rng = np.random.default_rng(3)

    def arm(n: int) -> Arm:
        return Arm((True,) * n, tuple(rng.lognormal(2, 0.6, n).tolist()))

    cells = [PairedInstance(str(i), arm(12), arm(12 + i % 3)) for i in range(8)]
    found = relative_change(
        cells, all_runs(lambda a: a.steps), confidence=0.95, resamples=20000, seed=0
    )
    total = np.zeros(20000)
    for one in cells:
        means = []
        for values in (one.baseline.steps, one.perturbed.steps):
            chosen = rng.integers(0, len(values), (20000, len(values)))
            means.append(np.array(values, float)[chosen].mean(axis=1))
        total += means[1] / means[0] - 1
    low, high = np.quantile(total / len(cells), (0.025, 0.975))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.006)


def test_kendall() -> None:
    pairs: list[tuple[list[float], list[float]]] = [
        ([1, 2, 3, 4], [1, 3, 2, 4]),
        ([1, 1, 2], [1, 2, 3]),
        ([0.1, 0.2], [5, 4]),
    ]
    for one, other in pairs:
        assert kendall_tau(one, other) == pytest.approx(stats.kendalltau(one, other).statistic)
    assert kendall_tau([1, 1], [1, 2]) is None
    assert kendall_tau([1], [1]) is None


def test_ranks_are_as_sure_as_the_runs_are_many() -> None:
    models = {
        "robust": [cell(15, 20, 15, 20)] * 10,
        "close": [cell(15, 20, 14, 20)] * 10,
        "fragile": [cell(15, 20, 2, 20)] * 10,
    }
    ranked = rank_models(models, confidence=0.95, seed=0)
    assert [r.model for r in ranked] == ["robust", "close", "fragile"]
    assert [(r.rank, r.low, r.high) for r in ranked] == [(1, 1, 2), (2, 1, 2), (3, 3, 3)]
    assert 0.6 < ranked[0].first < 0.95
    assert sum(r.first for r in ranked) == pytest.approx(1)


def test_concentration_by_hand() -> None:
    found = concentration(
        [cell(10, 10, 0, 10, "a"), cell(5, 10, 5, 10, "b"), cell(9, 10, 10, 10, "c")]
    )
    assert found is not None
    assert found.top == "a"
    assert found.top_share == pytest.approx(1.0 / 0.9)
    assert (found.leave_one_out.low, found.leave_one_out.high) == pytest.approx((-0.05, 0.5))
    even = concentration([cell(5, 10, 5, 10, "a"), cell(5, 10, 5, 10, "b")])
    assert even is not None
    assert even.top_share is None
    assert concentration([cell(5, 10, 5, 10)]) is None


NAMES = tuple("abcdefgh")


def drawn_variants(
    rng: np.random.Generator, harm: float, variants: int = 20, instances: int = 10
) -> list[PerturbedVariant]:
    """Three of eight drawn for each variant; only `a` does harm, instances differ greatly."""
    made = []
    for number in range(instances):
        base = (0.9, 0.2)[number % 2]
        for _ in range(variants):
            names = tuple(rng.choice(NAMES, 3, replace=False).tolist())
            rate = base * (1 - harm) if "a" in names else base
            cost = float(rng.normal(0, 0.4)) + (harm if "a" in names else 0.0)
            made.append(
                PerturbedVariant(
                    f"i{number}", names, names, 1, int(rng.random() < rate), cost, 0.01, 0.02
                )
            )
    return made


def test_attribution_finds_what_does_harm_and_nothing_else() -> None:
    found = attribution(drawn_variants(np.random.default_rng(0), 0.8, variants=40), 0.95)
    assert found is not None
    assert [e.name for e in found.transformations] == list(NAMES)
    claimed = [e.name for e in found.transformations if e.lift and e.lift.holm_p < 0.05]
    assert claimed == ["a"]
    lift, cost = found.transformations[0].lift, found.transformations[0].log_cost
    assert lift is not None
    assert cost is not None
    assert lift.interval.contains(0.8 * 0.55)
    assert cost.interval.contains(0.8)
    assert sum(c.runs for c in found.combinations) == 400
    assert found.dose == {"lines": None, "gold_lines": None}


def test_attribution_without_any_effect() -> None:
    rng, claims, studies = np.random.default_rng(1), 0, 80
    for _ in range(studies):
        found = attribution(drawn_variants(rng, 0.0, instances=5), 0.95)
        assert found is not None
        claims += any(e.lift and e.lift.holm_p < 0.05 for e in found.transformations)
    assert claims / studies <= 0.09  # 5 % and two standard errors


def test_attribution_agrees_with_a_regression() -> None:
    """With an intercept for each instance; the slope of ordinary least squares."""
    variants = drawn_variants(np.random.default_rng(2), 0.5)
    ids = sorted({v.instance_id for v in variants})
    design = np.array(
        [[float("a" in v.transformations), *(v.instance_id == i for i in ids)] for v in variants]
    )
    outcome = np.array([1 - v.resolved for v in variants], float)
    slope = np.linalg.lstsq(design, outcome, rcond=None)[0][0]
    found = attribution(variants, 0.95)
    assert found is not None
    effect = found.transformations[0].lift
    assert effect is not None
    assert effect.value == pytest.approx(slope)
    assert math.isfinite(effect.p)
    assert attribution([], 0.95) is None
