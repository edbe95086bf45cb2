"""What each stage of a staged study is given is a pure function of earlier outcomes."""

from __future__ import annotations

import pytest

from pytest_jagged.contracts.settings import SamplerSettings, SessionSettings, StudySettings
from pytest_jagged.plan import plan_cases
from pytest_jagged.staging import (
    Counts,
    allot,
    first_allotment,
    measured_counts,
    stage_sizes,
    stages_from_plain,
    stages_to_plain,
)
from tests.reporting.builders import runs


def settings(count: int = 20, repeats: int = 1) -> StudySettings:
    return StudySettings(
        instances=(),
        runs=count,
        sampler=SamplerSettings(runs_per_variant=repeats),
        session=SessionSettings(staged=True),
    )


@pytest.mark.parametrize(
    ("count", "repeats", "sizes"),
    [
        (20, 1, (5, 5, 5, 5)),
        (10, 1, (3, 3, 2, 2)),
        (4, 1, (2, 2)),
        (3, 1, (3,)),
        (20, 5, (10, 10)),
        (18, 2, (6, 4, 4, 4)),
    ],
)
def test_sizes_add_up_and_keep_variants_whole(
    count: int, repeats: int, sizes: tuple[int, ...]
) -> None:
    assert stage_sizes(settings(count, repeats)) == sizes


def counts(**outcomes: tuple[str, str]) -> Counts:
    """Letters of baseline and perturbed runs, as in `runs`."""
    pairs = [
        record
        for instance, (baseline, perturbed) in outcomes.items()
        for record in (
            *runs(instance, "baseline", baseline),
            *runs(instance, "perturbed", perturbed),
        )
    ]
    return measured_counts(pairs)


def test_settled_instances_leave_their_runs_to_the_others() -> None:
    seen = counts(a=("rrrrr", "uuuuu"), b=("rruuu", "rrruu"), c=("rrrrr", "rrrrr"))
    found = allot(settings(), "abc", 2, seen)
    assert [found[i, c] for i in "ac" for c in ("baseline", "perturbed")] == [2, 2, 2, 2]
    assert [found["b", c] for c in ("baseline", "perturbed")] == [11, 11]
    assert sum(found.values()) == 30


def test_an_arm_that_varies_more_gets_more() -> None:
    found = allot(settings(), "ab", 2, counts(a=("rrrrr", "rruuu"), b=("rruuu", "rrruu")))
    assert found["a", "baseline"] < found["a", "perturbed"]
    assert sum(found.values()) == 20


def test_no_arm_gets_more_than_three_times_its_share() -> None:
    others = {f"x{n}": ("rrrrr", "rrrrr") for n in range(20)}
    found = allot(settings(), ["a", *others], 2, counts(a=("rruuu", "rrruu"), **others))
    assert found["a", "baseline"] == found["a", "perturbed"] == 15


def test_an_instance_without_a_measured_run_gets_the_least() -> None:
    found = allot(settings(), "ab", 2, counts(a=("rruuu", "iiiii"), b=("rruuu", "rrruu")))
    assert found["a", "baseline"] == found["a", "perturbed"] == 2


def test_variants_stay_whole() -> None:
    found = allot(settings(20, 5), "ab", 2, counts(a=("rrrrr", "rrrrr"), b=("rruuu", "rrruu")))
    assert {count % 5 for count in found.values()} == {0}


def test_stages_are_numbered_on_and_travel() -> None:
    own = settings(4)
    second = {
        ("a", "baseline"): 1,
        ("a", "perturbed"): 1,
        ("b", "baseline"): 3,
        ("b", "perturbed"): 2,
    }
    stages = stages_from_plain(stages_to_plain([first_allotment(own, "ab"), second]))
    cases = plan_cases(own, "ab", stages)
    assert [(c.stage, f"{c.instance_id} {c.item_name}") for c in cases[8:]] == [
        (2, "a baseline[r03]"),
        (2, "a perturbed[v03]"),
        (2, "b baseline[r03]"),
        (2, "b perturbed[v03]"),
        (2, "b baseline[r04]"),
        (2, "b perturbed[v04]"),
        (2, "b baseline[r05]"),
    ]
    assert {c.stage for c in cases[:8]} == {1}
    assert set(cases[:8]) == set(plan_cases(settings(2), "ab"))  # the stage is no part of identity
