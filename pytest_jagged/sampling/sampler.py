"""Algorithm 1 of the paper, one pass of its outer loop: draw one variant of a seed repository."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial

from pytest_jagged.contracts.digests import derive_generator
from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Site, Transformation
from pytest_jagged.contracts.variant import SiteRecord, SiteStatus, SkippedStep, Variant
from pytest_jagged.errors import TransformError
from pytest_jagged.sampling.garbage_collection import without_collection
from pytest_jagged.sampling.pool import transformation_pool
from pytest_jagged.sampling.targets import assign_target_names
from pytest_jagged.sampling.tree import SeedTree, VariantTree, seed_tree
from pytest_jagged.transforms import engine

__all__ = ["draw_variant"]

NO_KEYWORD = "the issue gives no keyword for it"
# Of the sites a transformation leaves alone, only these had been selected.
_DROPPED = frozenset({"overlap", "result does not compile"})


@without_collection()
def draw_variant(
    instance: Instance,
    *,
    index: int,
    draw: int,
    study_seed: int,
    settings: SamplerSettings,
    keywords: Keywords,
    catalogue: Mapping[str, Transformation],
    seed: SeedTree | None = None,
) -> Variant:
    """Lines 8-27 of Algorithm 1; the numbers in the code are the paper's lines.

    Keywords (lines 11-13) are extracted once per instance and passed in. Every Random and
    RandomSelect has a generator of its own, derived from the study's seed and what it decides
    about, so that what one file holds shifts no other draw. *seed* stands in for the instance's
    own tree (the same choices on seed + gold).

    Raises:
        ConfigError: the pool is smaller than N_t or names an unknown transformation.
    """

    def stream(*purpose: str) -> random.Random:
        return derive_generator(study_seed, instance.id, index, draw, *purpose)

    pool = transformation_pool(settings, catalogue)
    clone = _Clone(instance, settings, VariantTree(seed or seed_tree(instance)))  # 8
    selected = stream("transformations").sample(pool, settings.n_transformations)  # 9
    p_file = {t.name: stream("p_file", t.name).random() for t in selected}  # 10
    bound = assign_target_names(selected, keywords, settings.n_keywords, stream)  # 14

    for step, (transformation, target) in enumerate(bound, 1):  # 15
        if transformation.keyword_bound and target is None:
            clone.skipped.append(SkippedStep(step, transformation.name, None, None, NO_KEYWORD))
            continue
        purpose = (transformation.name, target or "")
        count = 0  # 16
        for path in clone.source_files:  # 17
            if path not in instance.gold_files and (  # 18
                stream("file", *purpose, path).random() > p_file[transformation.name]
                or (transformation.keyword_bound and count >= settings.n_files)  # 19
            ):
                continue
            count += 1  # 20
            rng = stream("sites", *purpose, path)
            clone.transform(path, step, transformation, target, rng)  # 21-24

    return Variant(  # 27
        instance_id=instance.id,
        index=index,
        draw=draw,
        seed=study_seed,
        transformations=tuple(t.name for t in selected),
        edits=clone.tree.edits(),
        sites=tuple(clone.sites),
        skipped=tuple(clone.skipped),
        file_probabilities=tuple(p_file[t.name] for t in selected),
    )


class _Clone:
    """C_mut: the files as they are now, and what became of every selected site."""

    def __init__(self, instance: Instance, settings: SamplerSettings, tree: VariantTree) -> None:
        self.tree = tree
        self.source_files = tree.seed.source_files(instance)
        self.sites: list[SiteRecord] = []
        self.skipped: list[SkippedStep] = []
        self._fraction = settings.site_fraction
        self._python_version = instance.python_version

    def transform(
        self,
        path: str,
        step: int,
        transformation: Transformation,
        target: str | None,
        rng: random.Random,
    ) -> None:
        """Lines 21-24: candidates, ⌈φ|S|⌉ of them, rewritten; files that are no Python stay."""
        try:
            result = engine.apply(
                self.tree.read(path),
                transformation,
                rng=rng,
                fraction=self._fraction,
                target=target,
                path=path,
                tree=self.tree,
                feature_version=self._python_version,
                lasting=self.tree.is_as_seeded(path),
            )
        except (TransformError, RecursionError) as error:
            self.skipped.append(SkippedStep(step, transformation.name, target, path, str(error)))
            return
        assert isinstance(result.source, bytes)
        self.tree.write(path, result.source)
        record = partial(_site_record, step, transformation.name, target, path)
        self.sites += (record(site) for site in result.sites)
        self.sites += (record(s.site, s.reason) for s in result.skipped if s.reason in _DROPPED)


def _site_record(
    step: int,
    transformation: str,
    target: str | None,
    path: str,
    site: Site,
    dropped: str | None = None,
) -> SiteRecord:
    return SiteRecord(
        step=step,
        transformation=transformation,
        target=target,
        path=path,
        line=site.line,
        column=site.column,
        end_line=site.end_line,
        rule=site.rule,
        status=SiteStatus.APPLIED if dropped is None else SiteStatus.DROPPED,
        reason=dropped,
    )
