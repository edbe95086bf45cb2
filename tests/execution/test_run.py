"""Attempts: what is tried again, how often, and what is kept of each try."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.agent import AgentJob, AgentLimits, AgentResult, Exit
from pytest_jagged.contracts.case import Case, Condition
from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.contracts.record import Artifacts, RunRecord
from pytest_jagged.contracts.settings import LimitSettings, SessionSettings
from pytest_jagged.environments.local import LocalProvider
from pytest_jagged.errors import EnvironmentFailure
from pytest_jagged.evaluation.grader import Grader
from pytest_jagged.execution.attempt import RunContext
from pytest_jagged.execution.budget import Budget, spent_usd
from pytest_jagged.execution.run import RunLabels, run_case
from pytest_jagged.execution.service_watch import ServiceWatch
from pytest_jagged.records import FolderStore, open_store
from tests.conftest import SOURCE, MakeInstance
from tests.records.builders import record

LIMITS = LimitSettings()
CASE = Case("sums", Condition.parse("baseline"), 1, 1)
Ending = AgentResult | EnvironmentFailure


class Scripted:
    """An agent of the product's own contract that ends as told, one ending a try."""

    name = "scripted"
    needs_gold_patch = False
    uses_model = False

    def __init__(self, *endings: Ending, fix: bool = False) -> None:
        self.endings = list(endings)
        self.fix = fix
        self.trees: list[str] = []

    def probe(self) -> str:
        return "1"

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": "1"}

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        self.trees.append(environment.workdir)
        (job.artifacts / "agent.log").write_text(f"try {len(self.trees)}")
        if self.fix:
            fixed = SOURCE.replace("result - number", "result + number")
            environment.write([FileEdit("sums.py", fixed.encode())])
        ending = self.endings.pop(0)
        if isinstance(ending, EnvironmentFailure):
            raise ending
        return ending


Run = Callable[[Scripted], RunRecord]


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return open_store(tmp_path / "store")


@pytest.fixture
def run(make_instance: MakeInstance, store: FolderStore) -> Run:
    instance = make_instance()

    def start(agent: Scripted) -> RunRecord:
        provider = LocalProvider(LIMITS)
        limits = AgentLimits(None, None, 30, 30, None)
        context = RunContext(
            instance=instance,
            variant=None,
            provider=provider,
            agent=agent,
            evaluator=Grader(provider, LIMITS),
            job=AgentJob("task", None, limits, Path()),
            grade_on_limit=True,
        )
        watch = ServiceWatch(store.root, SessionSettings(), 0.0)
        return run_case(CASE, context, None, RunLabels("s", "k" * 16, None, 3), store, watch)

    return start


def ended(exit_: Exit, cost: float | None = None) -> AgentResult:
    return AgentResult(exit_, steps=1, cost_usd=cost)


def test_infrastructure_trouble_is_tried_again_in_a_fresh_environment(
    run: Run, store: FolderStore
) -> None:
    agent = Scripted(EnvironmentFailure("gone"), ended(Exit.AUTH, 0.5), ended(Exit.SUBMITTED))
    found = run(agent)
    assert found.outcome is Outcome.EMPTY_PATCH
    assert [(a.number, a.outcome.value, a.cost_usd) for a in found.attempts] == [
        (1, "infrastructure_error", None),
        (2, "infrastructure_error", 0.5),
    ]
    assert len(set(agent.trees)) == 3
    assert list(store.records()) == [found]
    assert spent_usd([found]) == 0.5


def test_after_the_last_try_the_error_is_the_record(run: Run) -> None:
    found = run(Scripted(*[ended(Exit.AUTH)] * 3))
    assert found.outcome is Outcome.INFRASTRUCTURE_ERROR
    assert len(found.attempts) == 2


def test_a_crash_is_tried_once_more_and_then_counts(run: Run, store: FolderStore) -> None:
    agent = Scripted(*[ended(Exit.CRASH)] * 3)
    found = run(agent)
    assert found.outcome is Outcome.AGENT_FAILED
    assert len(agent.trees) == 2
    (log,) = store.root.rglob("agent.log")
    assert log.read_text() == "try 2"


def test_work_done_before_a_crash_is_graded(run: Run) -> None:
    found = run(Scripted(ended(Exit.CRASH), fix=True))
    assert (found.outcome, found.attempts) == (Outcome.RESOLVED, ())
    assert found.patch is not None
    assert found.patch.files == ("sums.py",)
    assert found.tests is not None
    assert found.tests.failed == 0


def test_a_limit_is_graded(run: Run) -> None:
    assert run(Scripted(ended(Exit.STEP_LIMIT), fix=True)).outcome is Outcome.RESOLVED


def test_the_budget_reads_the_store(store: FolderStore) -> None:
    budget = Budget(SessionSettings(budget_usd=2.0))
    assert budget.refusal(store) is None
    store.save(record(index=1, cost=1.5), Artifacts())
    assert budget.refusal(store) is None
    store.save(record(index=2, cost=0.5), Artifacts())
    assert budget.refusal(store) == "session budget of $2 spent ($2.00 recorded)"


def test_the_deadline_counts_from_the_sessions_start(store: FolderStore) -> None:
    settings = SessionSettings(deadline=3600)
    assert Budget(settings, started=time.time()).refusal(store) is None
    late = Budget(settings, started=time.time() - 3601).refusal(store)
    assert late == "session deadline of 3600 s reached"
