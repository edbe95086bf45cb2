"""A study that can run: its settings bound to instances, variants, agent, environment and store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jagged.contracts.agent import Agent
from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.environment import EnvironmentProvider, ImageTree
from pytest_jagged.contracts.evaluation import Outcome
from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.contracts.record import Artifacts, RecordStore, RunRecord
from pytest_jagged.contracts.settings import InstanceEntry, StudySettings
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.contracts.variant import CertifiedVariant
from pytest_jagged.errors import ConfigError
from pytest_jagged.execution.budget import Budget
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.job import agent_job
from pytest_jagged.plan import plan_cases
from pytest_jagged.staging import Allotment, first_allotment

if TYPE_CHECKING:
    from pytest_jagged.evaluation.grader import Grader
    from pytest_jagged.execution.service_watch import ServiceWatch
    from pytest_jagged.metering import MeteredModel, PricedModel
    from pytest_jagged.reporting.comparison import EarlierReport
    from pytest_jagged.reporting.report import Report

__all__ = ["Study"]

Progress = Callable[[str], None]

# What nobody measured is tried again by the next session.
_NOT_DONE = frozenset(
    {
        Outcome.INFRASTRUCTURE_ERROR,
        Outcome.GRADING_ERROR,
        Outcome.SKIPPED_BUDGET,
        Outcome.NOT_RUN,
    }
)


def _silent(line: str) -> None:  # noqa: ARG001 - a progress callback
    return


class Study:
    """One study in one process. Opening it reads the study file and a small index, no more.

    Controller and workers each open their own; what must be made once (trees, interpreters,
    variants, records) is made under locks in the cache and in the store.
    """

    def __init__(
        self,
        settings: StudySettings,
        reports: Path,
        entries: Mapping[str, InstanceEntry],
        extensions: Extensions,
    ) -> None:
        self.settings = settings
        self.name = settings.name
        self.root = reports / settings.name
        self._entries = entries
        self.stages: tuple[Allotment, ...] = ()
        if settings.session.staged:
            self.stages = (first_allotment(settings, self.instance_ids),)
        self.cases: tuple[Case, ...] = plan_cases(settings, self.instance_ids, self.stages)
        self.budget = Budget(settings.session)
        self._extensions = extensions
        self._instances: dict[str, Instance] = {}
        self._keys: dict[Case, str] = {}
        self._keywords: dict[str, Keywords] = {}

    @classmethod
    def open(
        cls, settings: StudySettings, reports: Path, *, extensions: Extensions | None = None
    ) -> Study:
        """Raises ConfigError for a missing instance, or an id that two entries give."""
        from pytest_jagged import instances

        entries: dict[str, InstanceEntry] = {}
        perturbs = any(name.startswith("perturbed") for name in settings.conditions)
        for entry in settings.instances:
            found = instances.list_ids(entry)
            if perturbs:
                instances.refuse_unreachable(entry, found)
            for instance_id in found:
                if instance_id in entries:
                    raise ConfigError(
                        f"{settings.source}: instances: {instance_id!r} is named twice;"
                        " remove one entry"
                    )
                entries[instance_id] = entry
        return cls(settings, reports, entries, extensions or Extensions())

    @property
    def instance_ids(self) -> tuple[str, ...]:
        return tuple(self._entries)

    @cached_property
    def store(self) -> RecordStore:
        from pytest_jagged.records import open_store

        return open_store(self.root)

    # -- what the runs need, each made when first asked for --------------------------------------

    def instance(self, instance_id: str, progress: Progress = _silent) -> Instance:
        """The loaded instance with its pass-to-pass tests resolved."""
        if instance_id not in self._instances:
            from pytest_jagged import instances
            from pytest_jagged.execution.proving import resolve_pass_to_pass

            cache = instances.cache_root()
            entry = self._entries[instance_id]
            loaded = instances.load(
                entry,
                instance_id,
                cache=cache,
                progress=progress,
                read_image=self._read_image,
            )
            self._instances[instance_id] = resolve_pass_to_pass(
                loaded, self.grader.run_tests, cache, progress
            )
        return self._instances[instance_id]

    def _read_image(self, image: str, workdir: str, env: Mapping[str, str]) -> ImageTree:
        return self.provider().image_tree(image, workdir, env)

    @cached_property
    def _agent(self) -> Agent:
        from pytest_jagged.agents import make_agent

        own = self._extensions.make_agent(self.settings)
        return own or make_agent(self.settings.agent, self.settings.model)

    def agent(self) -> Agent:
        return self._agent

    @cached_property
    def _provider(self) -> EnvironmentProvider:
        own = self._extensions.make_provider(self.settings)
        if own is not None:
            return own
        from pytest_jagged.environments.local import LocalProvider

        return LocalProvider(limits=self.settings.limits)

    def provider(self) -> EnvironmentProvider:
        return self._provider

    @cached_property
    def priced_model(self) -> PricedModel | None:
        """The model under test with its prices; None for an agent that uses none."""
        from pytest_jagged.execution.pricing import price_model

        model = self.settings.model
        if model is None or not self.agent().uses_model:
            return None
        return price_model(model, self.root / "study.json")

    @cached_property
    def metered_model(self) -> MeteredModel | None:
        """How the runs' use of the model is counted; None where nothing tells its address.

        Raises:
            ConfigError: `model.api_base` is no address.
        """
        from pytest_jagged.metering import MeteredModel, find_service

        model, priced = self.settings.model, self.priced_model
        service = None if model is None or priced is None else find_service(model)
        if service is None or priced is None:
            return None
        return MeteredModel(service, priced.prices)

    @cached_property
    def grader(self) -> Grader:
        from pytest_jagged.evaluation.grader import Grader

        return Grader(self.provider(), self.settings.limits)

    @cached_property
    def catalogue(self) -> Mapping[str, Transformation]:
        from pytest_jagged import transforms

        own = {t.name: t for t in self._extensions.transformations}
        return {**transforms.catalogue(), **own}

    def keywords(self, instance_id: str, progress: Progress = _silent) -> Keywords:
        """Targets for the keyword-bound transformations of this instance."""
        if instance_id not in self._keywords:
            self._keywords[instance_id] = self._find_keywords(instance_id, progress)
        return self._keywords[instance_id]

    def _find_keywords(self, instance_id: str, progress: Progress) -> Keywords:
        instance = self.instance(instance_id)
        if self.settings.sampler.keywords.source == "model":
            from pytest_jagged.execution.model_keywords import model_keywords

            return model_keywords(instance, self.settings, self.root, progress)
        from pytest_jagged.sampling.keywords import keywords_for

        return keywords_for(instance)

    def variant(self, instance_id: str, index: int) -> CertifiedVariant:
        """The certified variant of this index; drawn and proven now if nobody has done so."""
        from pytest_jagged.sampling.certificate import certify
        from pytest_jagged.sampling.variant import VariantStore

        instance = self.instance(instance_id)
        return certify(
            instance,
            index,
            study_seed=self.settings.seed,
            settings=self.settings.sampler,
            keywords=self.keywords(instance_id),
            catalogue=self.catalogue,
            run_tests=self.grader.run_tests,
            store=VariantStore(self.root),
        )

    def variant_key(self, instance_id: str, index: int) -> str:
        """The digest of all that decides the variant of this index."""
        from pytest_jagged.sampling.variant import identify_variant

        return identify_variant(
            self.instance(instance_id),
            index,
            study_seed=self.settings.seed,
            settings=self.settings.sampler,
            keywords=self.keywords(instance_id),
            catalogue=self.catalogue,
        )

    def has_certificate(self, instance_id: str, index: int) -> bool:
        """Whether the variant of this index is drawn and proven already."""
        from pytest_jagged.sampling.variant import VariantStore

        key = self.variant_key(instance_id, index)
        return VariantStore(self.root).find(instance_id, index, key) is not None

    def key(self, case: Case) -> str:
        """The record key of *case*: all that decides its outcome."""
        if case not in self._keys:
            from pytest_jagged.execution.identity import case_key

            self._keys[case] = case_key(self, case)
        return self._keys[case]

    # -- records ----------------------------------------------------------------------------------

    def stored(self, case: Case) -> RunRecord | None:
        """The record that spares a run; None when it must be run (again)."""
        return self.stored_as(case, self.key(case))

    def stored_as(self, case: Case, key: str) -> RunRecord | None:
        """The same, of a key that is known already."""
        record = self.store.find(case, key)
        return None if record is None or record.outcome in _NOT_DONE else record

    @contextmanager
    def exclusive(self, case: Case) -> Iterator[None]:
        """Only one process at a time runs *case* (a user's test may ask for the same run)."""
        from filelock import FileLock

        folder = self.root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{self.key(case)[:32]}.lock"):
            yield

    def run(
        self,
        case: Case,
        *,
        variant: CertifiedVariant | None,
        provider: EnvironmentProvider | None = None,
        agent: Agent | None = None,
        again: bool = False,
    ) -> RunRecord:
        """Run *case* now and store its record before returning it.

        *again* replaces a measured record, which is kept beside the new one.
        """
        from pytest_jagged.execution.attempt import RunContext
        from pytest_jagged.execution.run import RunLabels, run_case

        if variant is not None and not variant.certificate.certified:
            return self._unmeasured(
                case, Outcome.INVALID_VARIANT, "no draw of this index kept the behaviour", variant
            )
        instance, agent = self.instance(case.instance_id), agent or self.agent()
        limits, model = self.settings.limits, self.settings.model
        context = RunContext(
            instance=instance,
            variant=None if variant is None else variant.variant,
            provider=provider or self.provider(),
            agent=agent,
            evaluator=self.grader,
            job=agent_job(self.settings, instance, agent),
            grade_on_limit=limits.grade_on_limit,
            model=self.metered_model,
        )
        labels = RunLabels(
            self.name, self.key(case), None if model is None else model.name, limits.attempts
        )
        return run_case(case, context, variant, labels, self.store, self._watch(), again=again)

    def refusal(self) -> str | None:
        """Why no further run may start in this session; None when one may."""
        return self.budget.refusal(self.store) or self._watch().refusal()

    def _watch(self) -> ServiceWatch:
        from pytest_jagged.execution.service_watch import ServiceWatch

        return ServiceWatch(self.root, self.settings.session, self.budget.started)

    def record_dead_worker(self, case: Case, detail: str) -> RunRecord:
        """Keep that a run was lost with its process; the next session runs it again."""
        return self._unmeasured(case, Outcome.INFRASTRUCTURE_ERROR, detail, None)

    def _unmeasured(
        self, case: Case, outcome: Outcome, detail: str, variant: CertifiedVariant | None
    ) -> RunRecord:
        from pytest_jagged.execution.run import unmeasured_record

        model = self.settings.model
        record = unmeasured_record(
            case,
            outcome,
            detail,
            study=self.name,
            key=self.key(case),
            agent=self.agent(),
            model=None if model is None else model.name,
            certified=variant,
        )
        self.store.save(record, Artifacts())
        return record

    # -- session ----------------------------------------------------------------------------------

    @property
    def is_prepared(self) -> bool:
        """Whether a session has prepared this study before (its study.json is there)."""
        return (self.root / "study.json").exists()

    def enter(self, stages: Sequence[Allotment]) -> None:
        """Plan the runs of these stages of a staged study; for a session, once and for all."""
        self.stages = tuple(stages)
        self.cases = plan_cases(self.settings, self.instance_ids, self.stages)

    def enter_current_stage(self, *, known_only: bool = False) -> None:
        """Plan the first stage that is not complete, and those before; with *known_only* by what
        study.json tells, else by all that decides the runs (which needs the instances).
        """
        if self.settings.session.staged:
            from pytest_jagged.execution.stages import current_stages, known_stages

            self.enter(known_stages(self) if known_only else current_stages(self))

    def prepare(self, progress: Progress) -> None:
        """Fetch and build what the runs need, check all of it, and describe the study on disk.

        Raises:
            ConfigError: with every problem found, one line each.
        """
        from pytest_jagged.execution.preparation import prepare_study

        prepare_study(self, progress)

    def check_comparable(self, earlier: EarlierReport) -> None:
        """Raises ConfigError unless this study's report can be compared with *earlier*."""
        from pytest_jagged.execution.description import check_earlier

        check_earlier(self, earlier)

    def report(
        self, cases: Sequence[Case] | None = None, *, earlier: EarlierReport | None = None
    ) -> Report:
        """The report over the planned cases, or over a selection of them (a subset report).

        Raises:
            ConfigError: *earlier* is of a study that cannot be compared with this one.
        """
        from pytest_jagged.execution.description import report_study

        return report_study(self, cases, earlier)
