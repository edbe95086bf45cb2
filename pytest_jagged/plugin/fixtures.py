"""The fixtures of a run; a conftest.py may override each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_jagged.contracts.case import Case, ConditionKind
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.contracts.variant import CertifiedVariant
from pytest_jagged.errors import JaggedError
from pytest_jagged.plugin.collection import CASE, CertificateItem
from pytest_jagged.plugin.session import SESSION, OpenStudy
from pytest_jagged.plugin.status import describe_certificate, describe_record

if TYPE_CHECKING:
    from pytest_jagged.contracts.agent import Agent
    from pytest_jagged.contracts.environment import EnvironmentProvider

__all__ = [
    "jagged_agent",
    "jagged_case",
    "jagged_certificate",
    "jagged_config",
    "jagged_environment",
    "jagged_run",
    "jagged_variant",
]


@pytest.fixture(scope="session")
def jagged_config(pytestconfig: pytest.Config) -> Sequence[StudySettings]:
    """The frozen settings of the session's studies."""
    return tuple(opened.study.settings for opened in pytestconfig.stash[SESSION].studies)


def _opened(request: pytest.FixtureRequest) -> tuple[OpenStudy, Case]:
    """A run item's own case, or the one that a user's test is parametrised with."""
    if CASE in request.node.stash:
        return request.node.stash[CASE]  # type: ignore[no-any-return]
    return request.node.callspec.params["jagged_parameter"]  # type: ignore[no-any-return]


@pytest.fixture
def jagged_parameter(request: pytest.FixtureRequest) -> object:
    """The parameter behind `jagged_case` in a user's own test."""
    return getattr(request, "param", None)


@pytest.fixture
def jagged_case(request: pytest.FixtureRequest) -> Case:
    """(instance, condition, run index) of this item."""
    return _opened(request)[1]


@pytest.fixture
def jagged_variant(request: pytest.FixtureRequest, jagged_case: Case) -> CertifiedVariant | None:
    """The certified variant; None for conditions that leave the repository as it is."""
    if jagged_case.condition.kind is not ConditionKind.PERTURBED:
        return None
    with _one_line(request):
        study = _opened(request)[0].study
        return study.variant(jagged_case.instance_id, jagged_case.index)


@pytest.fixture
def jagged_environment(request: pytest.FixtureRequest) -> EnvironmentProvider:
    """Makes the fresh environments of this run: one per attempt, one per grading."""
    return _opened(request)[0].study.provider()


@pytest.fixture
def jagged_agent(request: pytest.FixtureRequest) -> Agent:
    """The scaffold with its model."""
    return _opened(request)[0].study.agent()


@pytest.fixture
def jagged_run(request: pytest.FixtureRequest, jagged_case: Case) -> RunRecord:
    """The record of this run: stored already, or made now.

    A stored record is found first, so that neither agent nor environment is made for it.
    """
    opened, study = _opened(request)[0], _opened(request)[0].study
    session = request.config.stash[SESSION]
    with _one_line(request), study.exclusive(jagged_case):
        record = None if session.wants_rerun(jagged_case) else study.stored(jagged_case)
        reused = record is not None
        if record is None:
            refusal = study.budget.refusal(study.store)
            if refusal is not None:
                request.node.user_properties.append(("jagged_outcome", "skipped_budget"))
                pytest.skip(refusal)
            record = study.run(
                jagged_case,
                variant=request.getfixturevalue("jagged_variant"),
                provider=request.getfixturevalue("jagged_environment"),
                agent=request.getfixturevalue("jagged_agent"),
                again=session.wants_rerun(jagged_case),
            )
            request.config.hook.pytest_jagged_run_finished(config=request.config, record=record)
    own = CASE in request.node.stash
    request.node.user_properties.extend(describe_record(record, reused=reused, own_item=own))
    if record.outcome.is_error:
        where = study.store.root
        pytest.fail(
            f"{record.outcome.value.replace('_', ' ')}: {record.detail}\n"
            f"records: {where}\n{opened.reproduce(jagged_case)}",
            pytrace=False,
        )
    if record.outcome is Outcome.INVALID_VARIANT:
        pytest.skip(record.detail)
    return record


@pytest.fixture
def jagged_certificate(request: pytest.FixtureRequest) -> CertifiedVariant:
    """The certified variant of a certificate item."""
    item = request.node
    assert isinstance(item, CertificateItem)
    study = item.opened.study
    with _one_line(request):
        known = study.has_certificate(item.instance_id, item.index)
        certified = study.variant(item.instance_id, item.index)
    item.user_properties.extend(describe_certificate(certified, reused=known))
    if known:
        pytest.skip("certificate is stored")
    return certified


class _one_line:  # noqa: N801 - reads as a statement
    """Errors of ours become one line and the command that shows them again."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.request = request

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, JaggedError):
            lines = [f"{type(error).__name__}: {error}"]
            if CASE in self.request.node.stash:
                opened, case = self.request.node.stash[CASE]
                lines.append(opened.reproduce(case))
            pytest.fail("\n".join(lines), pytrace=False)
