"""Unpack a source archive that nobody has looked at: plain files and folders below one root."""

from __future__ import annotations

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from pytest_jagged.errors import InstanceError

__all__ = ["unpack"]

_MAX_FILES = 50_000
_MAX_BYTES = 500 << 20
_CHUNK = 1 << 20
# Encrypted zip files raise RuntimeError, methods unknown to Python NotImplementedError.
_UNREADABLE = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError),
    *(EOFError, RuntimeError),
)


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    kind: str  # file, folder, or what it is instead
    executable: bool


class _Archive(Protocol):
    def members(self) -> Iterator[_Member]: ...

    def open(self, member: _Member) -> IO[bytes]: ...


class _Tar:
    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._infos: dict[str, tarfile.TarInfo] = {}

    def members(self) -> Iterator[_Member]:
        for info in self._archive:
            self._infos[info.name] = info
            yield _Member(info.name, _tar_kind(info), bool(info.mode & stat.S_IXUSR))

    def open(self, member: _Member) -> IO[bytes]:
        stream = self._archive.extractfile(self._infos[member.name])
        assert stream is not None  # regular files only
        return stream


class _Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def members(self) -> Iterator[_Member]:
        for info in self._archive.infolist():
            mode = info.external_attr >> 16
            kind = "folder" if info.is_dir() else "link" if stat.S_ISLNK(mode) else "file"
            yield _Member(info.filename, kind, bool(mode & stat.S_IXUSR))

    def open(self, member: _Member) -> IO[bytes]:
        return self._archive.open(member.name)


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.isreg():
        return "file"
    if info.isdir():
        return "folder"
    return "link" if info.issym() or info.islnk() else "device"


def unpack(path: Path, destination: Path) -> Path:
    """Unpack a .tar.* or .zip below *destination* (new); the archive's one top folder.

    Raises:
        InstanceError: a link, a device, a name that leaves the folder, a name twice, more than one
            top folder, or more than 50,000 files or 500 MB.
    """
    destination.mkdir(parents=True)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as opened:
                _extract(path, _Zip(opened), destination)
        else:
            with tarfile.open(path, "r:*") as opened_tar:
                _extract(path, _Tar(opened_tar), destination)
    except _UNREADABLE as error:
        raise InstanceError(f"{path.name}: not a readable archive: {error}") from None
    except (FileExistsError, NotADirectoryError) as error:
        name = Path(error.filename).relative_to(destination)
        raise InstanceError(f"{path.name}: {name}: is a file and a folder at once") from None
    except OSError as error:
        raise InstanceError(f"{path.name}: cannot be unpacked: {error.strerror or error}") from None
    tops = list(destination.iterdir())
    if len(tops) != 1 or not tops[0].is_dir():
        raise InstanceError(f"{path.name}: must hold one top folder (found {len(tops)} entries)")
    return tops[0]


def _extract(path: Path, archive: _Archive, destination: Path) -> None:
    seen: set[PurePosixPath] = set()
    room = _MAX_BYTES
    for member in archive.members():
        name = _checked_name(path, member)
        target = destination / name
        if member.kind == "folder":
            target.mkdir(parents=True, exist_ok=True)
            continue
        if name in seen or target.exists():
            raise InstanceError(f"{path.name}: {member.name}: is in the archive twice")
        seen.add(name)
        if len(seen) > _MAX_FILES:
            raise InstanceError(f"{path.name}: more than {_MAX_FILES} files")
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as stream:
            room -= _copy(stream, target, room, path)
        target.chmod(0o755 if member.executable else 0o644)


def _checked_name(path: Path, member: _Member) -> PurePosixPath:
    if member.kind not in ("file", "folder"):
        raise InstanceError(f"{path.name}: {member.name}: is a {member.kind}; refused")
    name = PurePosixPath(member.name)
    unsafe = name.is_absolute() or ".." in name.parts or "\\" in member.name
    if unsafe or "\0" in member.name or not name.parts:
        raise InstanceError(f"{path.name}: {member.name!r}: leaves the folder; refused")
    return name


def _copy(stream: IO[bytes], target: Path, room: int, path: Path) -> int:
    """Sizes in headers are claims; what counts is what is read."""
    size = 0
    with target.open("wb") as out:
        while data := stream.read(_CHUNK):
            size += len(data)
            if size > room:
                raise InstanceError(f"{path.name}: more than {_MAX_BYTES >> 20} MB unpacked")
            out.write(data)
    return size
