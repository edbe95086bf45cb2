"""Algorithm 1 of the paper, one pass of its outer loop: draw one variant of a seed repository."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_jagged.contracts.digests import derive_generator
from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Site, Transformation, TransformResult
from pytest_jagged.contracts.variant import SiteRecord, SiteStatus, SkippedStep, Variant
from pytest_jagged.errors import TransformError
from pytest_jagged.sampling.pool import transformation_pool
from pytest_jagged.sampling.targets import assign_target_names
from pytest_jagged.sampling.tree import SeedTree, VariantTree, seed_tree
from pytest_jagged.transforms import engine

__all__ = ["draw_variant"]

NO_KEYWORD = "the issue gives no keyword for it"


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
    clone = VariantTree(seed or seed_tree(instance))  # 8
    source_files = clone.seed.source_files(instance)
    selected = stream("transformations").sample(pool, settings.n_transformations)  # 9
    p_file = {t.name: stream("p_file", t.name).random() for t in selected}  # 10
    bound = assign_target_names(selected, keywords, settings.n_keywords, stream)  # 14
    account = _Account()

    for step, (transformation, target) in enumerate(bound, 1):  # 15
        account.start(step, transformation, target)
        if transformation.keyword_bound and target is None:
            account.skip(None, NO_KEYWORD)
            continue
        purpose = (transformation.name, target or "")
        count = 0  # 16
        for path in source_files:  # 17
            if path not in instance.gold_files and (  # 18
                stream("file", *purpose, path).random() > p_file[transformation.name]
                or (transformation.keyword_bound and count >= settings.n_files)  # 19
            ):
                continue
            count += 1  # 20
            try:
                result = engine.apply(  # 21-23: candidates, ⌈φ|S|⌉ of them, rewritten
                    clone.read(path),
                    transformation,
                    rng=stream("sites", *purpose, path),
                    fraction=settings.site_fraction,
                    target=target,
                    path=path,
                    tree=clone,
                    feature_version=instance.python_version,
                )
            except (TransformError, RecursionError) as error:
                account.skip(path, str(error))
                continue
            account.add(path, result)
            clone.write(path, _as_bytes(result))  # 24

    return Variant(  # 27
        instance_id=instance.id,
        index=index,
        draw=draw,
        seed=study_seed,
        transformations=tuple(t.name for t in selected),
        edits=clone.edits(),
        sites=tuple(account.sites),
        skipped=tuple(account.skipped),
        file_probabilities=tuple(p_file[t.name] for t in selected),
    )


def _as_bytes(result: TransformResult) -> bytes:
    assert isinstance(result.source, bytes)
    return result.source


@dataclass(slots=True)
class _Account:
    """What became of every selected site and of every file that could not be read."""

    step: int = 0
    transformation: str = ""
    target: str | None = None
    sites: list[SiteRecord] = field(default_factory=list)
    skipped: list[SkippedStep] = field(default_factory=list)

    def start(self, step: int, transformation: Transformation, target: str | None) -> None:
        self.step, self.transformation, self.target = step, transformation.name, target

    def skip(self, path: str | None, reason: str) -> None:
        self.skipped.append(SkippedStep(self.step, self.transformation, self.target, path, reason))

    def add(self, path: str, result: TransformResult) -> None:
        self.sites += self._records(path, result)

    def _records(self, path: str, result: TransformResult) -> Iterator[SiteRecord]:
        for site in result.sites:
            yield self._record(path, site, SiteStatus.APPLIED, None)
        for skipped in result.skipped:
            if skipped.reason in _DROPPED:
                yield self._record(path, skipped.site, SiteStatus.DROPPED, skipped.reason)

    def _record(self, path: str, site: Site, status: SiteStatus, reason: str | None) -> SiteRecord:
        return SiteRecord(
            step=self.step,
            transformation=self.transformation,
            target=self.target,
            path=path,
            line=site.line,
            column=site.column,
            end_line=site.end_line,
            rule=site.rule,
            status=status,
            reason=reason,
        )


# Of the sites a transformation leaves alone, only these had been selected.
_DROPPED = frozenset({"overlap", "result does not compile"})
