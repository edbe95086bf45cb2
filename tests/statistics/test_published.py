"""The paper's published figures, from its counts.

Source: CSU-TrustLab/jagged-frontier at de0871a, Dashboard/dashboard.html (transcribed in the data
folder beside the checkout). The figures that need no file are repeated here.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.degradation import mean_degradation, sign_flip_p
from pytest_jagged.statistics.proportion import newcombe, wilson

DATA = Path(__file__).parents[3] / "shared" / "data" / "paper"


def arm(resolved: int, n: int) -> Arm:
    return Arm(tuple([True] * resolved + [False] * (n - resolved)))


def cells(rows: Sequence[dict[str, str]]) -> list[PairedInstance]:
    return [
        PairedInstance(
            row["instance_id"],
            arm(int(row["baseline_resolved"]), int(row["baseline_n"])),
            arm(int(row["perturbed_resolved"]), int(row["perturbed_n"])),
        )
        for row in rows
    ]


@pytest.mark.parametrize(
    ("counts", "interval"),
    [
        ((20, 20, 20, 20), (-0.161125, 0.161125)),
        ((20, 20, 10, 20), (0.242624, 0.700702)),
        ((20, 20, 15, 20), (0.037765, 0.468701)),
        ((15, 20, 10, 20), (-0.046836, 0.493646)),
        ((18, 20, 11, 20), (0.072146, 0.570072)),
        ((10, 20, 10, 20), (-0.283835, 0.283835)),
        ((19, 20, 20, 20), (-0.236131, 0.116289)),
        ((7, 20, 13, 18), (-0.599902, -0.055221)),
    ],
)
def test_newcombe_by_definition(
    counts: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    found = newcombe(*counts, 0.95)
    assert (found.low, found.high) == pytest.approx(interval, abs=5e-7)


def test_newcombe_and_wilson_agree_with_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for k1, n1, k2, n2 in [(3, 7, 5, 11), (0, 4, 4, 4), (9, 20, 1, 3), (1, 1, 0, 1)]:
        for confidence in (0.8, 0.95, 0.99):
            ours = newcombe(k1, n1, k2, n2, confidence)
            theirs = proportion.confint_proportions_2indep(
                k1, n1, k2, n2, method="newcomb", compare="diff", alpha=1 - confidence
            )
            assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)
            one = wilson(k1, n1, confidence)
            low, high = proportion.proportion_confint(k1, n1, 1 - confidence, method="wilson")
            assert (one.low, one.high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5), (0, 0)])
def test_no_proportion_is_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is no proportion"):
        wilson(*counts, 0.95)


def test_sign_flip_by_hand() -> None:
    # Three non-zero differences: 2 of 8 patterns reach |0.40|, 2 more tie with it.
    assert sign_flip_p((0.2, 0, 0.25, 0, -0.05), seed=0) == pytest.approx(0.5)
    assert sign_flip_p((0, 0), seed=0) == 1.0
    assert sign_flip_p((0.1,) * 10, seed=0) == pytest.approx(2 / 1024)


def test_sign_flip_sampled_agrees_with_exact() -> None:
    values = [0.05 * (i % 5 - 1) for i in range(40)]
    sampled = sign_flip_p(values, seed=0)
    exact = sign_flip_p([v for v in values if v][:24], seed=0)
    assert 0 < sampled < exact < 1


def test_the_papers_headline() -> None:
    """Opus 4.5 with mini-SWE-agent on Pro: 6.7308 pp [3.6538, 9.8077], p = 0.052002."""
    if not DATA.is_dir():
        pytest.skip("the published counts are not beside the checkout")
    with (DATA / "counts.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    first = [
        r
        for r in rows
        if (r["scaffold"], r["model"], r["benchmark"]) == ("miniswe", "claude", "swepro")
    ]
    found = mean_degradation(cells(first), confidence=0.95, resamples=20000, seed=0)
    assert round(100 * found.mean, 4) == 6.7308
    assert round(100 * found.interval.low, 4) == 3.6538
    assert round(100 * found.interval.high, 4) == 9.8077
    assert round(found.sign_flip_p, 6) == 0.052002


def published() -> list[Any]:
    if not DATA.is_dir():
        return []
    return list(json.loads((DATA / "statistics.json").read_text())["experiments"])


@pytest.mark.skipif(not DATA.is_dir(), reason="the published counts are not beside the checkout")
@pytest.mark.parametrize("experiment", published(), ids=lambda e: e["id"])
def test_every_published_degradation(experiment: Any) -> None:
    with (DATA / "counts.csv").open() as stream:
        rows = [
            row
            for row in csv.DictReader(stream)
            if all(row[key] == experiment[key] for key in ("scaffold", "model", "benchmark"))
        ]
    pairs = cells(rows)
    found = mean_degradation(pairs, confidence=0.95, resamples=20000, seed=0)
    want = experiment["statistics"]
    fixed, resampled = want["degradation_binomial_ci"], want["degradation_ci"]
    assert round(100 * found.mean, 4) == fixed["mean_pp"]
    assert round(100 * found.interval.low, 4) == fixed["ci_lower_pp"]
    assert round(100 * found.interval.high, 4) == fixed["ci_upper_pp"]
    assert round(100 * found.new_instances.low, 4) == resampled["ci_lower_pp"]
    assert round(100 * found.new_instances.high, 4) == resampled["ci_upper_pp"]
    assert round(found.sign_flip_p, 6) == want["sign_flip_pvalue"]
    for pair in pairs:
        base, pert = pair.baseline, pair.perturbed
        interval = newcombe(base.resolved_count, base.runs, pert.resolved_count, pert.runs, 0.95)
        ours = [round(pair.degradation, 4), round(interval.low, 4), round(interval.high, 4)]
        assert ours == experiment["per_instance_newcombe"][pair.id]
