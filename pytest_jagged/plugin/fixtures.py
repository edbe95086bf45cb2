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
from pytest_jagged.errors import ConfigError, JaggedError
from pytest_jagged.plugin.collection import CertificateItem, RunItem, case_of
from pytest_jagged.plugin.session import SESSION, OpenStudy
from pytest_jagged.plugin.status import describe_certificate, describe_record

if TYPE_CHECKING:
    from pytest_jagged.contracts.agent import Agent
    from pytest_jagged.contracts.environment import EnvironmentProvider
    from pytest_jagged.execution.study import Study

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
    found = case_of(request.node)
    if found is None:
        pytest.fail(
            "a test must take jagged_run or jagged_case as an argument: which runs it needs is"
            " asked when tests are collected",
            pytrace=False,
        )
    return found


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
    opened = _opened(request)[0]
    with _one_line(request), opened.study.exclusive(jagged_case):
        record, again = _stored(request, opened.study, jagged_case)
        reused = record is not None
        record = record or _run_now(request, opened.study, jagged_case, again=again)
    own = isinstance(request.node, RunItem)
    properties = describe_record(record, reused=reused, own_item=own)
    request.node.user_properties.extend([*properties, ("jagged_item", opened.item_id(jagged_case))])
    if record.outcome.is_error:
        pytest.fail(
            f"{record.outcome.value.replace('_', ' ')}: {record.detail}\n"
            f"records: {opened.study.store.root}\n{opened.reproduce(jagged_case)}",
            pytrace=False,
        )
    if record.outcome is Outcome.INVALID_VARIANT:
        pytest.skip(record.detail)
    return record


def _stored(
    request: pytest.FixtureRequest, study: Study, case: Case
) -> tuple[RunRecord | None, bool]:
    """The record that spares the run, and whether one that would is to be replaced.

    What `--jagged-rerun` names is run again once a session, whoever asks for it how often.
    """
    session = request.config.stash[SESSION]
    record = study.stored(case)
    if record is None or not session.wants_rerun(case) or session.made(record):
        return record, False
    return None, True


def _run_now(request: pytest.FixtureRequest, study: Study, case: Case, *, again: bool) -> RunRecord:
    refusal = study.refusal()
    if refusal is not None:
        if isinstance(request.node, RunItem):
            request.node.user_properties.append(("jagged_outcome", Outcome.SKIPPED_BUDGET.value))
        pytest.skip(refusal)
    variant = request.getfixturevalue("jagged_variant")
    provider = request.getfixturevalue("jagged_environment")
    agent = request.getfixturevalue("jagged_agent")
    _refuse_other_identity(study, case, variant, provider, agent)
    record = study.run(case, variant=variant, provider=provider, agent=agent, again=again)
    request.config.hook.pytest_jagged_run_finished(config=request.config, record=record)
    return record


def _refuse_other_identity(
    study: Study,
    case: Case,
    variant: CertifiedVariant | None,
    provider: EnvironmentProvider,
    agent: Agent,
) -> None:
    """Records are kept by what the study names: another thing under its key would mix with them."""
    if agent.identity() != study.agent().identity():
        raise ConfigError(
            f"jagged_agent gives {dict(agent.identity())}, the study's agent is"
            f" {dict(study.agent().identity())}; return yours from pytest_jagged_make_agent"
        )
    if provider.identity() != study.provider().identity():
        raise ConfigError(
            f"jagged_environment gives {dict(provider.identity())}, the study's environment is"
            f" {dict(study.provider().identity())}; return yours from"
            " pytest_jagged_make_environment"
        )
    perturbed = case.condition.kind is ConditionKind.PERTURBED
    expected = study.variant_key(case.instance_id, case.index) if perturbed else None
    if (None if variant is None else variant.certificate.key) != expected:
        raise ConfigError(
            f"jagged_variant gives another variant than the study's of {case.instance_id}"
            f" {case.item_name}; change `sampler` or `seed` in the study instead"
        )


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
            found = case_of(self.request.node)
            if found is not None:
                lines.append(found[0].reproduce(found[1]))
            pytest.fail("\n".join(lines), pytrace=False)
