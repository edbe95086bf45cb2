"""Source distributions: fetched once through the user's pip, named in the cache by their digest."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances import sdist_fetch
from pytest_jagged.instances.cache import build_once
from pytest_jagged.instances.pip import PipCommand, find_pip, pip_exit, run_pip

__all__ = ["Sdist", "download_by_command", "fetch_sdist"]


@dataclass(frozen=True, slots=True)
class Sdist:
    name: str
    version: str
    sha256: str

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"


def fetch_sdist(sdist: Sdist, cache: Path, progress: Callable[[str], None]) -> Path:
    """The archive, from the cache or else from the user's index; its digest is checked each time.

    Raises:
        InstanceError: no such file, or one with other bytes than the digest says.
    """

    def download(target: Path) -> None:
        progress(f"fetching {sdist.title} (source)")
        _download(sdist, target)

    place = build_once(cache / "sdists" / sdist.sha256, download)
    _verify(sdist, place)
    return place


def _download(sdist: Sdist, target: Path) -> None:
    pip = find_pip()
    script = Path(sdist_fetch.__file__)
    arguments = (sdist.name, sdist.version, sdist.sha256, str(target))
    code, stderr = pip_exit(pip, [str(script), *arguments])
    if code == sdist_fetch.PIP_DIFFERS:
        download_by_command(pip, sdist, target)
    elif code == sdist_fetch.NO_SUCH_FILE:
        raise InstanceError(
            f"{sdist.title}: pip finds no source distribution; check its index and the connection"
        )
    elif code == sdist_fetch.OTHER_BYTES:
        raise InstanceError(
            f"{sdist.title}: wrong sha256: no file of the index is {sdist.sha256}; correct it"
        )
    elif code != 0:
        raise InstanceError(f"{sdist.title}: cannot be fetched: {stderr}")


def download_by_command(pip: PipCommand, sdist: Sdist, target: Path) -> None:
    """The slow way, for a pip whose insides are unknown: it runs the package's build backend."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", folder]
        request = f"{sdist.name}=={sdist.version}"
        run_pip(pip, ["download", *options, request], sdist.title)
        files = list(Path(folder).iterdir())
        if len(files) != 1:
            raise InstanceError(f"{sdist.title}: pip download left {len(files)} files")
        target.write_bytes(files[0].read_bytes())
    _verify(sdist, target)


def _verify(sdist: Sdist, path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sdist.sha256:
        raise InstanceError(
            f"{sdist.title}: wrong sha256: expected {sdist.sha256}, {path} has {found};"
            " correct it, or remove the file"
        )
