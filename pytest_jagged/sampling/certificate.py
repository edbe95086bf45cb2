"""Draw the variant of an index and prove that it behaves as the seed does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_jagged.contracts.instance import FileEdit, Instance, Keywords
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.contracts.variant import (
    Certificate,
    CertifiedVariant,
    GoldSolves,
    RejectedDraw,
    Variant,
)
from pytest_jagged.sampling.comparison import Comparison, compare_tests
from pytest_jagged.sampling.compilation import compile_fault
from pytest_jagged.sampling.dose import dose_of
from pytest_jagged.sampling.gold import gold_edits, solve_with_gold
from pytest_jagged.sampling.sampler import draw_variant
from pytest_jagged.sampling.seed_results import RunTests
from pytest_jagged.sampling.tree import SeedTree, seed_tree
from pytest_jagged.sampling.variant import VariantStore, identify_variant

__all__ = ["MAX_REDRAWS", "RunTests", "certify"]

MAX_REDRAWS = 5


def certify(
    instance: Instance,
    index: int,
    *,
    study_seed: int,
    settings: SamplerSettings,
    keywords: Keywords,
    catalogue: Mapping[str, Transformation],
    run_tests: RunTests,
    store: VariantStore,
) -> CertifiedVariant:
    """The certified variant of *index*, from the store if it is there, else drawn and proven now.

    Of several processes that ask at the same time one does the work; the others wait for it.

    Raises:
        InstanceError: the instance itself does not behave as it says (see `seed_results`).
        InfrastructureError: an environment failed; nothing is stored, so that it is tried again.
    """
    key = identify_variant(
        instance,
        index,
        study_seed=study_seed,
        settings=settings,
        keywords=keywords,
        catalogue=catalogue,
    )
    found = store.find(instance.id, index, key)
    if found is not None:
        return found
    with store.lock(store.path(instance.id, index, key)):
        found = store.find(instance.id, index, key)
        if found is not None:
            return found
        work = _Work(
            instance, index, key, study_seed, settings, keywords, catalogue, run_tests, store
        )
        certified = _first_that_holds(work)
        edits = () if certified.variant is None else certified.variant.edits
        tree = seed_tree(instance)
        store.save(certified, {edit.path: tree.read(edit.path) for edit in edits})
        return certified


@dataclass(frozen=True, slots=True)
class _Work:
    instance: Instance
    index: int
    key: str
    study_seed: int
    settings: SamplerSettings
    keywords: Keywords
    catalogue: Mapping[str, Transformation]
    run_tests: RunTests
    store: VariantStore

    def draw(self, number: int, seed: SeedTree) -> Variant:
        return draw_variant(
            self.instance,
            index=self.index,
            draw=number,
            study_seed=self.study_seed,
            settings=self.settings,
            keywords=self.keywords,
            catalogue=self.catalogue,
            seed=seed,
        )


def _first_that_holds(work: _Work) -> CertifiedVariant:
    rejected: list[RejectedDraw] = []
    for number in range(MAX_REDRAWS + 1):
        variant = work.draw(number, seed_tree(work.instance))
        proof = _prove(work, variant)
        if proof.fault is None:
            certificate = _certificate(work, variant, proof, tuple(rejected))
            return CertifiedVariant(certificate, variant)
        rejected.append(RejectedDraw(number, proof.fault, variant.transformations))
    return CertifiedVariant(_refusal(work, tuple(rejected)), None)


def _prove(work: _Work, variant: Variant) -> Comparison:
    if variant.unchanged:  # the seed itself: nothing to compare
        return Comparison(None)
    fault = compile_fault(work.instance, variant.edits)
    if fault is not None:
        return Comparison(fault)
    return compare_tests(work.instance, variant.edits, work.run_tests, work.store)


def _certificate(
    work: _Work, variant: Variant, proof: Comparison, rejected: tuple[RejectedDraw, ...]
) -> Certificate:
    instance, tree = work.instance, seed_tree(work.instance)
    sources = tree.source_files(instance)
    gold_sources = [path for path in sources if path in instance.gold_files]
    dose = dose_of(tree, sources, variant.edits)
    gold_dose = dose_of(tree, gold_sources, variant.edits)
    return Certificate(
        key=work.key,
        instance_id=instance.id,
        index=work.index,
        certified=True,
        rejected=rejected,
        compiled_files=len(variant.edits),
        tests_compared=proof.compared,
        unchanged=variant.unchanged,
        gold_unchanged=not variant.unchanged and not variant.changes_any(instance.gold_files),
        gold_solves=_gold_solves(work, variant),
        lines_changed=dose.changed,
        lines_total=dose.total,
        gold_lines_changed=gold_dose.changed,
        gold_lines_total=gold_dose.total,
        flaky=proof.flaky,
    )


def _refusal(work: _Work, rejected: tuple[RejectedDraw, ...]) -> Certificate:
    return Certificate(
        key=work.key,
        instance_id=work.instance.id,
        index=work.index,
        certified=False,
        rejected=rejected,
        compiled_files=0,
        tests_compared=0,
        unchanged=False,
        gold_unchanged=False,
        gold_solves=GoldSolves.UNKNOWN,
        lines_changed=0,
        lines_total=0,
    )


def _gold_solves(work: _Work, variant: Variant) -> GoldSolves:
    gold = gold_edits(work.instance)

    def redraw() -> tuple[FileEdit, ...]:
        return work.draw(variant.draw, SeedTree(work.instance.seed, gold)).edits

    if variant.unchanged:  # the same question for every unchanged variant: asked once
        answer = work.store.once(
            work.instance,
            "gold",
            lambda: solve_with_gold(work.instance, variant, gold, redraw, work.run_tests).value,
        )
        return GoldSolves(answer)
    return solve_with_gold(work.instance, variant, gold, redraw, work.run_tests)
