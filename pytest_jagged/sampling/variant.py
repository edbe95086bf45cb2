"""What decides a variant, and where certified variants are kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_jagged import __version__
from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.contracts.variant import CertifiedVariant
from pytest_jagged.errors import StoreError
from pytest_jagged.records.atomic import write_bytes, write_json
from pytest_jagged.records.store import folder_name
from pytest_jagged.sampling.codec import certified_from_json, certified_to_json
from pytest_jagged.sampling.pool import pool_identity, transformation_pool

__all__ = ["VariantStore", "identify_variant", "keywords_digest", "variant_key"]


def keywords_digest(keywords: Keywords) -> str:
    return json_digest([list(keywords.methods), list(keywords.literals)])


def variant_key(
    instance_digest: str,
    index: int,
    study_seed: int,
    settings: SamplerSettings,
    keywords: str,
    pool: Sequence[str],
    package_version: str = __version__,
    python_minor: tuple[int, int] = sys.version_info[:2],
) -> str:
    """The digest of all that decides a variant; what only decides its runs is left out.

    *keywords* is their digest, *pool* the identity of the transformations drawn from. The Python
    minor is the host's: `ast` and the tokenizer differ between minors.
    """
    return json_digest(
        {
            "instance": instance_digest,
            "index": index,
            "seed": study_seed,
            "sampler": [
                settings.n_transformations,
                settings.n_keywords,
                settings.n_files,
                settings.site_fraction,
            ],
            "pool": list(pool),
            "keywords": keywords,
            "version": package_version,
            "python": list(python_minor),
        }
    )


def identify_variant(
    instance: Instance,
    index: int,
    *,
    study_seed: int,
    settings: SamplerSettings,
    keywords: Keywords,
    catalogue: Mapping[str, Transformation],
) -> str:
    """The key under which `certificate.certify` keeps the variant of *index*."""
    return variant_key(
        instance.digest,
        index,
        study_seed,
        settings,
        keywords_digest(keywords),
        pool_identity(transformation_pool(settings, catalogue)),
    )


class VariantStore:
    """`variants/<instance>/v<index>.<key8>.json`, and what the variants of an instance share.

    Written whole or not at all; made once under a lock that dies with its holder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root / "variants"

    def path(self, instance_id: str, index: int, key: str) -> Path:
        return self.root / folder_name(instance_id) / f"v{index:02d}.{key[:8]}.json"

    def find(self, instance_id: str, index: int, key: str) -> CertifiedVariant | None:
        """Raises StoreError for a damaged file."""
        path = self.path(instance_id, index, key)
        value = _read(path)
        if value is None:
            return None
        certified = certified_from_json(value, str(path))
        return certified if certified.certificate.key == key else None

    def save(self, certified: CertifiedVariant, seed: Mapping[str, bytes]) -> Path:
        """*seed* holds the bytes that the variant's files have in the seed repository."""
        certificate = certified.certificate
        path = self.path(certificate.instance_id, certificate.index, certificate.key)
        value = certified_to_json(certified, seed)
        # Not indented: tens of thousands of sites, one number a line, would be most of the file.
        write_bytes(path, json.dumps(value, allow_nan=False).encode("ascii") + b"\n")
        return path

    @contextmanager
    def lock(self, path: Path) -> Iterator[None]:
        """One process makes *path*, the others wait and then find it."""
        from filelock import FileLock

        folder = self.root / ".locks" / path.parent.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot be made: {error.strerror}; check the folder"
            ) from None
        with FileLock(folder / f"{path.name}.lock"):
            yield

    def once(self, instance: Instance, name: str, make: Callable[[], Any]) -> Any:
        """The JSON value *name* of the instance, from *make* if nobody has made it yet."""
        identity = json_digest([instance.digest, list(instance.python_version), __version__])
        path = self.root / folder_name(instance.id) / f"{name}.{identity[:8]}.json"
        with self.lock(path):
            value = _read(path)
            if value is None or value.get("identity") != identity:
                value = {"identity": identity, "value": make()}
                write_json(path, value)
            return value["value"]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path}: cannot be read ({error}); move the file away, it is made again"
        ) from None
