"""The catalogue of semantics-preserving transformations (SPTs) and the engine that applies them."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_jagged.contracts.transformation import Transformation, TransformResult

__all__ = ["catalogue", "transform_source"]


def catalogue() -> Mapping[str, Transformation]:
    """All SPTs by name, in the order of the paper's Table 1."""
    from pytest_jagged.transforms.registry import CATALOGUE

    return CATALOGUE


def transform_source(
    source: str | bytes,
    spt: str,
    *,
    seed: int,
    fraction: float = 1.0,
    target: str | None = None,
    path: str | None = None,
) -> TransformResult:
    """Apply one SPT at ⌈fraction × candidates⌉ sites of one file, drawn with *seed*.

    Raises:
        TransformError: unknown SPT, a target that cannot be represented, or a file that cannot be
            read as Python; the message says which.
    """
    from pytest_jagged.transforms.engine import transform_one

    return transform_one(source, spt, seed=seed, fraction=fraction, target=target, path=path)
