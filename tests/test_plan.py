"""Plans and record keys are pure functions of the settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_jagged.contracts.case import Case, Condition, ConditionKind
from pytest_jagged.contracts.settings import SamplerSettings, StudySettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.plan import RunIdentity, plan_cases, run_key

BASELINE = Condition(ConditionKind.BASELINE)


def names(settings: StudySettings, ids: tuple[str, ...]) -> list[str]:
    return [f"{c.instance_id}::{c.item_name}" for c in plan_cases(settings, ids)]


def test_run_index_is_outermost() -> None:
    assert names(StudySettings(instances=(), runs=2), ("a", "b")) == [
        "a::baseline[r01]",
        "a::perturbed[v01]",
        "b::baseline[r01]",
        "b::perturbed[v01]",
        "a::baseline[r02]",
        "a::perturbed[v02]",
        "b::baseline[r02]",
        "b::perturbed[v02]",
    ]


def test_order_by_instance_keeps_an_instance_together() -> None:
    found = names(StudySettings(instances=(), runs=2, order="instance"), ("a", "b"))
    assert [name[0] for name in found] == ["a"] * 4 + ["b"] * 4


def test_repeated_variants_share_the_index() -> None:
    settings = StudySettings(
        instances=(),
        runs=4,
        conditions=("perturbed.typos",),
        sampler=SamplerSettings(runs_per_variant=2),
    )
    assert names(settings, ("a",)) == [
        "a::perturbed.typos[v01]",
        "a::perturbed.typos[v01k02]",
        "a::perturbed.typos[v02]",
        "a::perturbed.typos[v02k02]",
    ]


def test_more_runs_only_add_items() -> None:
    few = set(plan_cases(StudySettings(instances=(), runs=3), ("a", "b")))
    many = set(plan_cases(StudySettings(instances=(), runs=20), ("a", "b")))
    assert few < many


def test_equal_ids_are_refused() -> None:
    with pytest.raises(ConfigError, match="a named twice"):
        plan_cases(StudySettings(instances=()), ("a", "a"))


IDENTITY = RunIdentity(
    case=Case("a", BASELINE, 1, 1),
    instance_digest="i",
    variant_key=None,
    environment={"backend": "local"},
    agent={"name": "noop", "version": "1"},
    model=None,
    limits=[250],
    prompt_digest="p",
    evaluator={"name": "own"},
)


@pytest.mark.parametrize(
    "changed",
    [
        replace(IDENTITY, case=Case("b", BASELINE, 1, 1)),
        replace(IDENTITY, case=Case("a", BASELINE, 2, 2)),
        replace(IDENTITY, case=Case("a", Condition(ConditionKind.PLACEBO), 1, 1)),
        replace(IDENTITY, case=Case("a", BASELINE, 1, 1, repeat=2)),
        replace(IDENTITY, instance_digest="j"),
        replace(IDENTITY, variant_key="v"),
        replace(IDENTITY, environment={"backend": "docker"}),
        replace(IDENTITY, agent={"name": "noop", "version": "2"}),
        replace(IDENTITY, model={"name": "m"}),
        replace(IDENTITY, limits=[10]),
        replace(IDENTITY, prompt_digest="q"),
        replace(IDENTITY, evaluator={"name": "other"}),
    ],
)
def test_whatever_decides_an_outcome_changes_the_key(changed: RunIdentity) -> None:
    assert run_key(changed) != run_key(IDENTITY)


def test_the_key_is_pinned() -> None:
    """A change of this value makes every stored run foreign: raise the schema version with it."""
    assert run_key(IDENTITY)[:16] == "1792f95be020f99c"
