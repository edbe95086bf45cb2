"""Settings → ordered cases and record keys; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jagged.contracts.case import Case, Condition, ConditionKind
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.record import SCHEMA_VERSION
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.staging import Allotment

__all__ = ["RunIdentity", "plan_cases", "run_key"]


def plan_cases(
    settings: StudySettings, instance_ids: Sequence[str], stages: Sequence[Allotment] = ()
) -> tuple[Case, ...]:
    """All runs of a study in the order they are run; of a staged one, those of the given stages.

    Order `run` has the run index outermost, then instance, then condition: a session that is cut
    short is balanced, and drift of a model service meets all conditions alike.

    Raises:
        ConfigError: an instance id twice.
    """
    if len(set(instance_ids)) != len(instance_ids):
        twice = sorted({i for i in instance_ids if instance_ids.count(i) > 1})
        raise ConfigError(f"{settings.source}: instances: {', '.join(twice)} named twice")
    if not stages:
        every = {(i, c): settings.runs for i in instance_ids for c in settings.conditions}
        return tuple(_stage(settings, instance_ids, every, Counter(), 0))
    cases: list[Case] = []
    before: Counter[tuple[str, str]] = Counter()
    for number, allotment in enumerate(stages, start=1):
        cases += _stage(settings, instance_ids, allotment, before, number)
        before.update(allotment)
    return tuple(cases)


def _stage(
    settings: StudySettings,
    instance_ids: Sequence[str],
    allotment: Allotment,
    before: Mapping[tuple[str, str], int],
    stage: int,
) -> Iterator[Case]:
    conditions = [Condition.parse(name) for name in settings.conditions]
    numbers = range(1, max(allotment.values(), default=0) + 1)
    if settings.order == "instance":
        triples: Iterator[tuple[int, str, Condition]] = (
            (n, i, c) for i in instance_ids for n in numbers for c in conditions
        )
    else:
        triples = ((n, i, c) for n in numbers for i in instance_ids for c in conditions)
    repeats = settings.sampler.runs_per_variant
    for number, instance_id, condition in triples:
        arm = instance_id, condition.name
        if number <= allotment[arm]:
            yield _case(instance_id, condition, before[arm] + number, repeats, stage)


def _case(instance_id: str, condition: Condition, ordinal: int, repeats: int, stage: int) -> Case:
    if condition.kind is not ConditionKind.PERTURBED:
        return Case(instance_id, condition, ordinal, index=ordinal, stage=stage)
    index, repeat = divmod(ordinal - 1, repeats)
    return Case(instance_id, condition, ordinal, index + 1, repeat + 1, stage)


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """All that decides the outcome of one run, as JSON values; the number of runs does not."""

    case: Case
    instance_digest: str
    variant_key: str | None
    environment: Any
    agent: Any
    model: Any
    limits: Any
    prompt_digest: str
    evaluator: Any


def run_key(identity: RunIdentity) -> str:
    """The record key: equal keys mean the stored record is this run."""
    case = identity.case
    return json_digest(
        {
            "schema": SCHEMA_VERSION,
            "case": [case.instance_id, case.condition.name, case.index, case.repeat],
            "instance": identity.instance_digest,
            "variant": identity.variant_key,
            "environment": identity.environment,
            "agent": identity.agent,
            "model": identity.model,
            "limits": identity.limits,
            "prompt": identity.prompt_digest,
            "evaluator": identity.evaluator,
        }
    )
