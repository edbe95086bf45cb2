"""Apply one transformation to one file: candidates, selection, rewriting, compile check."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_jagged.contracts.digests import derive_generator
from pytest_jagged.contracts.transformation import (
    Candidates,
    Rewritten,
    Site,
    SkippedSite,
    SourceTree,
    Transformation,
    TransformResult,
)
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.module import Module, parse_module
from pytest_jagged.transforms.module_cache import load_module
from pytest_jagged.transforms.parsing import compiles, room_for_recursion
from pytest_jagged.transforms.source import text_source

__all__ = ["apply", "transform_one"]

# Where sites fail by the hundred, the rest of the file's is given up.
_MOST_ATTEMPTS = 200


def apply(
    source: bytes,
    transformation: Transformation,
    *,
    rng: random.Random,
    fraction: float,
    target: str | None = None,
    path: str | None = None,
    tree: SourceTree | None = None,
    feature_version: tuple[int, int] | None = None,
    lasting: bool = False,
) -> TransformResult:
    """Rewrite *source* at ⌈fraction × candidates⌉ sites drawn with *rng* (Algorithm 1, 21–24).

    *tree* is the repository that *source* is a file of, for transformations that ask it. What this
    interpreter, or the grammar of *feature_version* where it is older, cannot compile is dropped.
    *lasting*: *source* is as the seed has it, so that its analysis is worth keeping.

    Raises:
        TransformError: the bytes are not Python, or the target cannot be represented.
    """
    module = load_module(source, path, lasting=lasting)
    if tree is not None and getattr(transformation, "reads_repository", True):
        module = module.within(tree)
    result = _transform(module, transformation, rng, fraction, target, feature_version)
    if not result.sites:
        return TransformResult(source, (), result.skipped, result.candidates)
    assert isinstance(result.source, str)
    data = module.source.encode(result.source)
    return TransformResult(data, result.sites, result.skipped, result.candidates)


def _transform(
    module: Module,
    transformation: Transformation,
    rng: random.Random,
    fraction: float,
    target: str | None,
    version: tuple[int, int] | None,
) -> TransformResult:
    candidates = transformation.candidates(module, target)
    if not candidates.sites:
        return TransformResult(module.text, (), candidates.skipped, 0)
    # As written: in floats 0.55 x 20 is a little more than 11, whose ceiling is 12.
    count = math.ceil(Fraction(repr(fraction)) * len(candidates.sites))
    selected = sorted(rng.sample(candidates.sites, count))
    rewriting = _Rewriting(module, transformation, target, rng.getrandbits(64), version)
    kept, rewritten = rewriting.of_those_that_hold(selected)
    return _account(candidates, selected, kept, rewritten)


def _account(
    candidates: Candidates, selected: Sequence[Site], kept: Sequence[Site], rewritten: Rewritten
) -> TransformResult:
    held = frozenset(kept)
    refused = (site for site in selected if site not in held)
    overlap = (site for site in kept if site not in rewritten.sites)
    skipped = (
        *candidates.skipped,
        *(SkippedSite(site, "result does not compile") for site in refused),
        *(SkippedSite(site, "overlap") for site in overlap),
    )
    sites = tuple(sorted(rewritten.sites))
    return TransformResult(rewritten.text, sites, skipped, len(candidates.sites))


@dataclass(frozen=True, slots=True)
class _Rewriting:
    module: Module
    transformation: Transformation
    target: str | None
    seed: int
    version: tuple[int, int] | None

    def of_those_that_hold(self, selected: Sequence[Site]) -> tuple[list[Site], Rewritten]:
        """The sites that compile together, and the text: one bad site must not disable the file.

        Raises:
            TransformError: the file itself does not compile.
        """
        kept: list[Site] = []
        done = Rewritten(self.module.text, frozenset())
        pending = [list(selected)]
        for _ in range(_MOST_ATTEMPTS):
            if not pending:
                break
            group = pending.pop()
            tried = self._attempt([*kept, *group])
            if tried is not None:
                kept, done = [*kept, *group], tried
                continue
            if len(group) == len(selected) and not self._holds(self.module.text):
                raise TransformError("not Python: it can be parsed but not compiled")
            if len(group) > 1:
                middle = len(group) // 2
                pending += [group[middle:], group[:middle]]
        return kept, done

    def _attempt(self, sites: Sequence[Site]) -> Rewritten | None:
        rng = random.Random(self.seed)
        try:
            with room_for_recursion():
                done = self.transformation.rewrite(self.module, sites, self.target, rng)
        except RecursionError:
            return None
        if isinstance(done, str):
            done = Rewritten(done, frozenset(sites))
        return done if self._holds(done.text) else None

    def _holds(self, text: str) -> bool:
        return self.module.source.can_encode(text) and compiles(text, self.version)


def transform_one(
    source: str | bytes,
    spt: str,
    *,
    seed: int,
    fraction: float,
    target: str | None,
    path: str | None,
) -> TransformResult:
    """`transforms.transform_source`."""
    from pytest_jagged.transforms.registry import find_transformation

    transformation = find_transformation(spt)
    if not 0 < fraction <= 1:
        raise TransformError(f"fraction {fraction}: must be above 0 and at most 1")
    rng = derive_generator(seed, spt, target or "")
    if isinstance(source, bytes):
        return apply(source, transformation, rng=rng, fraction=fraction, target=target, path=path)
    module = parse_module(text_source(source), path)
    return _transform(module, transformation, rng, fraction, target, None)
