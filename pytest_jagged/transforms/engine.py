"""Apply one transformation to one file: candidates, selection, rewriting, compile check."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from pytest_jagged.contracts.digests import derive_generator
from pytest_jagged.contracts.transformation import (
    Candidates,
    Site,
    SkippedSite,
    SourceTree,
    Transformation,
    TransformResult,
)
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.module import Module, parse_module

__all__ = ["apply", "compiles", "load_module", "transform_one"]

_CACHED_MODULES = 64


@lru_cache(maxsize=_CACHED_MODULES)
def _cached(source: bytes, path: str | None) -> Module:
    return parse_module(source, path)


def load_module(source: bytes, path: str | None, tree: SourceTree | None) -> Module:
    """A parsed module, shared between the transformations and variants that meet the same bytes.

    Raises:
        TransformError: the bytes are not Python.
    """
    if tree is not None:
        return parse_module(source, path, tree)
    return _cached(source, path)


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
) -> TransformResult:
    """Rewrite *source* at ⌈fraction × candidates⌉ sites drawn with *rng* (Algorithm 1, 21–24).

    Raises:
        TransformError: the bytes are not Python, or the target cannot be represented.
    """
    module = load_module(source, path, tree)
    candidates = transformation.candidates(module, target)
    if not candidates.sites:
        return TransformResult(source, (), candidates.skipped, 0)
    # As written: in floats 0.55 x 20 is a little more than 11, whose ceiling is 12.
    count = math.ceil(Fraction(repr(fraction)) * len(candidates.sites))
    selected = sorted(rng.sample(candidates.sites, count))
    text_seed = rng.getrandbits(64)
    return _rewrite(module, transformation, candidates, selected, target, text_seed)


def _rewrite(
    module: Module,
    transformation: Transformation,
    candidates: Candidates,
    selected: Sequence[Site],
    target: str | None,
    seed: int,
) -> TransformResult:
    data, done, refused = _attempt(module, transformation, selected, target, seed)
    if data is None:
        # One bad site must not disable the file: keep the sites that hold, half by half.
        kept, refused = _holding(module, transformation, list(selected), target, seed)
        data, done, _ = _attempt(module, transformation, kept, target, seed)
        if data is None:
            data, done, refused = module.source.encode(module.text), (), list(selected)
    accounted = {*done, *refused}
    overlap = [site for site in selected if site not in accounted]
    skipped = (
        *candidates.skipped,
        *(SkippedSite(site, "result does not compile") for site in refused),
        *(SkippedSite(site, "overlap") for site in overlap),
    )
    return TransformResult(data, tuple(done), skipped, len(candidates.sites))


def _attempt(
    module: Module,
    transformation: Transformation,
    sites: Sequence[Site],
    target: str | None,
    seed: int,
) -> tuple[bytes | None, tuple[Site, ...], list[Site]]:
    if not sites:
        return module.source.encode(module.text), (), []
    text, done = _rewritten(module, transformation, sites, target, seed)
    try:
        data = module.source.encode(text)
    except TransformError:
        return None, (), []
    return (data, tuple(sorted(done)), []) if compiles(data) else (None, (), [])


def _rewritten(
    module: Module,
    transformation: Transformation,
    sites: Sequence[Site],
    target: str | None,
    seed: int,
) -> tuple[str, Sequence[Site]]:
    rewritten = transformation.rewrite(module, sites, target, random.Random(seed))
    if isinstance(rewritten, str):
        return rewritten, sites
    return rewritten.text, sorted(rewritten.sites)


def _holding(
    module: Module,
    transformation: Transformation,
    sites: list[Site],
    target: str | None,
    seed: int,
) -> tuple[list[Site], list[Site]]:
    """Sites that compile when done alone, in groups halved until they do."""
    if _attempt(module, transformation, sites, target, seed)[0] is not None:
        return sites, []
    if len(sites) == 1:
        return [], sites
    middle = len(sites) // 2
    good, bad = _holding(module, transformation, sites[:middle], target, seed)
    more, worse = _holding(module, transformation, sites[middle:], target, seed)
    return good + more, bad + worse


def compiles(source: bytes) -> bool:
    """Whether this interpreter compiles *source*; warnings of the file are its own business."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<rewritten>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def transform_one(
    source: str | bytes,
    spt: str,
    *,
    seed: int,
    fraction: float,
    target: str | None,
    path: str | None,
) -> TransformResult:
    """`transforms.transform_source`; text is taken as UTF-8 without a cookie's say."""
    from pytest_jagged.transforms.registry import find_transformation

    transformation = find_transformation(spt)
    if not 0 < fraction <= 1:
        raise TransformError(f"fraction {fraction}: must be above 0 and at most 1")
    data = source if isinstance(source, bytes) else b"\xef\xbb\xbf" + source.encode("utf-8")
    rng = derive_generator(seed, spt, target or "")
    result = apply(data, transformation, rng=rng, fraction=fraction, target=target, path=path)
    if isinstance(source, bytes):
        return result
    assert isinstance(result.source, bytes)
    text = result.source.decode("utf-8-sig")
    return TransformResult(text, result.sites, result.skipped, result.candidates)
