"""One attempt at a run: provision, inject, let the agent work, take the patch, grade it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_jagged.contracts.agent import Agent, AgentJob, AgentResult, Exit
from pytest_jagged.contracts.environment import EnvironmentProvider
from pytest_jagged.contracts.evaluation import (
    Evaluator,
    Grade,
    Outcome,
    Patch,
    TestStatus,
)
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.metering import Metering
from pytest_jagged.contracts.record import Timing
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.environments.injection import capture_base, inject
from pytest_jagged.errors import EvaluatorFailure, InfrastructureError
from pytest_jagged.evaluation.outcome import decide
from pytest_jagged.evaluation.patch import take_patch
from pytest_jagged.metering import Meter, MeteredModel, settle

__all__ = ["AttemptResult", "RunContext", "attempt_run"]


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the attempts of one run share; `model` is None where its use cannot be metered."""

    instance: Instance
    variant: Variant | None
    provider: EnvironmentProvider
    agent: Agent
    evaluator: Evaluator
    job: AgentJob
    grade_on_limit: bool
    model: MeteredModel | None = None


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What one attempt gave. `patch` and `grade` are None where it did not come to that.

    `metering` is kept also of an agent whose environment failed: its model was paid for.
    """

    outcome: Outcome
    detail: str
    agent: AgentResult | None
    patch: Patch | None
    grade: Grade | None
    timing: Timing
    isolation: str
    metering: Metering | None = None

    @property
    def cost_usd(self) -> float | None:
        if self.agent is not None:
            return self.agent.cost_usd
        return None if self.metering is None else self.metering.cost_usd

    @property
    def tests(self) -> Mapping[str, TestStatus] | None:
        return None if self.grade is None else self.grade.tests


@dataclass(frozen=True, slots=True)
class _Work:
    agent: AgentResult
    patch: Patch
    agent_s: float
    isolation: str


def attempt_run(context: RunContext, private: Path) -> AttemptResult:
    """Try once. *private* is an empty host folder for the base history and the artifacts.

    Infrastructure trouble becomes an outcome here, in the one place that knows which step it hit.
    """
    start = time.monotonic()
    artifacts = private / "artifacts"
    artifacts.mkdir(parents=True)
    model = context.model
    with nullcontext() if model is None else model.open(context.job.limits, artifacts) as meter:
        try:
            work = _let_agent_work(context, private, artifacts, meter)
        except InfrastructureError as error:
            return _lost(error, meter, time.monotonic() - start)
    grade_start = time.monotonic()
    outcome, detail, grade = _grade(context, work)
    end = time.monotonic()
    timing = Timing(
        agent_s=work.agent_s,
        grade_s=end - grade_start,
        own_s=max(0.0, grade_start - start - work.agent_s),
        total_s=end - start,
    )
    return AttemptResult(
        outcome=outcome,
        detail=detail,
        agent=work.agent,
        patch=work.patch,
        grade=grade,
        timing=timing,
        isolation=work.isolation,
        metering=work.agent.metering,
    )


def _lost(error: InfrastructureError, meter: Meter | None, total_s: float) -> AttemptResult:
    return AttemptResult(
        outcome=Outcome.INFRASTRUCTURE_ERROR,
        detail=str(error),
        agent=None,
        patch=None,
        grade=None,
        timing=Timing(total_s=total_s),
        isolation="unknown",
        metering=None if meter is None else meter.reading(),
    )


def _let_agent_work(
    context: RunContext, private: Path, artifacts: Path, meter: Meter | None
) -> _Work:
    environment = context.provider.create(context.instance)
    try:
        inject(environment, context.variant.edits if context.variant is not None else ())
        base = capture_base(environment, private / "base")
        access = None if meter is None else meter.access
        job = replace(context.job, artifacts=artifacts, access=access)
        started = time.monotonic()
        result = context.agent.run(job, environment)
        agent_s = time.monotonic() - started
        result = result if meter is None else settle(result, meter.reading())
        patch = take_patch(environment, base, context.instance)
        return _Work(result, patch, agent_s, environment.isolation.value)
    finally:
        environment.close()
        shutil.rmtree(private / "base", ignore_errors=True)


def _grade(context: RunContext, work: _Work) -> tuple[Outcome, str, Grade | None]:
    exit_, patch = work.agent.exit, work.patch
    grade: Grade | None = None
    if _needs_grading(exit_, patch, context.grade_on_limit):
        try:
            grade = context.evaluator.grade(context.instance, context.variant, patch)
        except EvaluatorFailure as error:
            return Outcome.GRADING_ERROR, str(error), None
        except InfrastructureError as error:
            return Outcome.INFRASTRUCTURE_ERROR, f"while grading: {error}", None
    outcome, detail = decide(exit_, patch, grade, grade_on_limit=context.grade_on_limit)
    if outcome is Outcome.INFRASTRUCTURE_ERROR:
        detail = ": ".join(filter(None, (detail, work.agent.detail)))
    return outcome, detail or work.agent.detail, grade


def _needs_grading(exit_: Exit, patch: Patch, grade_on_limit: bool) -> bool:
    if exit_.is_infrastructure or patch.is_empty:
        return False
    return grade_on_limit or not exit_.is_limit
