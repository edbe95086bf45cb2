"""What is made and checked once, before the first run: instances, agent, environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_jagged.contracts.case import ConditionKind
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.errors import ConfigError, JaggedError
from pytest_jagged.execution.description import describe_study
from pytest_jagged.execution.job import prompt_template

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["prepare_study"]


def prepare_study(study: Study, progress: Callable[[str], None]) -> None:
    """Raises ConfigError that lists all problems, one line each."""
    problems: list[str] = []
    instances: list[Instance] = []
    for instance_id in study.instance_ids:
        try:
            instances.append(study.instance(instance_id, progress))
        except JaggedError as error:
            problems.append(str(error))
    problems += _agent_problems(study)
    problems += study.provider().preflight(instances)
    if problems:
        raise ConfigError("\n".join(problems))
    _ask_for_keywords(study, progress)
    study.enter_current_stage()
    describe_study(study)


def _ask_for_keywords(study: Study, progress: Callable[[str], None]) -> None:
    """Once, before workers need the answers."""
    kinds = {case.condition.kind for case in study.cases}
    if study.settings.sampler.keywords.source == "model" and ConditionKind.PERTURBED in kinds:
        for instance_id in study.instance_ids:
            study.keywords(instance_id, progress)


def _agent_problems(study: Study) -> list[str]:
    settings = study.settings
    try:
        agent = study.agent()
        agent.probe()
        prompt_template(settings)
    except ConfigError as error:
        return [str(error)]
    if not agent.uses_model:
        return []
    problems = _model_problems(study)
    if settings.environment.backend == "local" and not settings.environment.trusted:
        problems.append(
            f"{settings.source}: agent {agent.name!r} uses a model and environment local does not"
            " isolate it; set environment.trusted: true to accept that"
        )
    return problems


def _model_problems(study: Study) -> list[str]:
    settings = study.settings
    try:
        model = study.metered_model
        if model is None:
            return []
        model.service.check()
    except ConfigError as error:
        return [f"{settings.source}: {error}"]
    problems = []
    passed = settings.agent.options.get("pass_env", ())
    key = model.service.key_variable
    if key is not None and key in ([passed] if isinstance(passed, str) else passed):
        problems.append(
            f"{settings.source}: agent.options.pass_env: {key} is put in by the metering proxy and"
            " stays outside of environments; remove it"
        )
    if settings.session.budget_usd is not None and model.prices is None:
        problems.append(
            f"{settings.source}: session.budget_usd: nobody knows what {model.service.model} costs;"
            " write model.prices (USD per million tokens) or remove the budget"
        )
    return problems
