"""The transformations that a study draws from."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence

from pytest_jagged.config.catalogue import ARTIFACT_PRESET
from pytest_jagged.contracts.digests import bytes_digest
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.errors import ConfigError

__all__ = ["pool_identity", "transformation_pool"]

_OWN_PACKAGE = __name__.partition(".")[0]


def transformation_pool(
    settings: SamplerSettings, catalogue: Mapping[str, Transformation]
) -> tuple[Transformation, ...]:
    """The list 𝒯 of Algorithm 1, sorted by name so that its order in the study file is no matter.

    Raises:
        ConfigError: a name that nobody registered, or fewer transformations than N_t.
    """
    if settings.preset == "artifact":
        names = [name for name in ARTIFACT_PRESET if name in catalogue]
    elif settings.transformations == "all":
        names = list(catalogue)
    else:
        names = list(settings.transformations)
    unknown = [name for name in names if name not in catalogue]
    if unknown:
        raise ConfigError(
            f"sampler.transformations: {unknown[0]!r} is not in the catalogue"
            f" ({', '.join(sorted(catalogue))}); register it or remove it"
        )
    if settings.n_transformations > len(names):
        raise ConfigError(
            f"sampler.n_transformations: {settings.n_transformations} cannot be drawn from"
            f" {len(names)} transformations; lower it"
        )
    return tuple(catalogue[name] for name in sorted(names))


def pool_identity(pool: Sequence[Transformation]) -> list[str]:
    """What of the pool decides a variant: the names, and the code of those that users bring.

    Our own code is told apart by the package's version.
    """
    return [_identity(transformation) for transformation in pool]


def _identity(transformation: Transformation) -> str:
    kind = type(transformation)
    if kind.__module__.partition(".")[0] == _OWN_PACKAGE:
        return transformation.name
    try:
        code = inspect.getsource(inspect.getmodule(kind) or kind)
    except (OSError, TypeError):
        code = f"{kind.__module__}.{kind.__qualname__}"
    return f"{transformation.name}@{bytes_digest(code.encode('utf-8', 'surrogatepass'))[:16]}"
