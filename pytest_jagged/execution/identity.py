"""What decides the outcome of a run, gathered for its record key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_jagged.config import settings_to_json
from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.execution.job import agent_limits, prompt_template
from pytest_jagged.execution.run_settings import environment_settings, model_settings
from pytest_jagged.plan import RunIdentity, run_key

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["case_key"]


def case_key(study: Study, case: Case, evaluator: Mapping[str, str] | None = None) -> str:
    """The record key of *case*: same key, same measurement; the number of runs is not in it.

    *evaluator* is the identity of another grader than the study's.
    """
    settings, instance = study.settings, study.instance(case.instance_id)
    variant = None
    if case.condition.kind is ConditionKind.PERTURBED:
        variant = study.variant_key(case.instance_id, case.index)
    limits = settings.limits
    return run_key(
        RunIdentity(
            case=case,
            instance_digest=instance.digest,
            variant_key=variant,
            environment=[
                environment_settings(settings_to_json(settings.environment)),
                dict(study.provider().identity()),
            ],
            agent=dict(study.agent().identity()),
            model=model_settings(settings_to_json(settings.model)),
            limits=[
                settings_to_json(agent_limits(settings, instance)),
                limits.test_s,
                limits.grade_on_limit,
            ],
            prompt_digest=json_digest(prompt_template(settings)),
            evaluator=dict(study.grader.identity() if evaluator is None else evaluator),
        )
    )
