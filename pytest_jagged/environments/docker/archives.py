"""Tar archives, the one way in and out of a container that every engine offers."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from pytest_jagged.environments.tree import copy_tree, remove_tree

__all__ = ["pack", "pack_files", "unpack"]


def pack(source: Path, name: str, stream: IO[bytes], staging: Path, *, keep_caches: bool) -> None:
    """Write file or folder *source* as *name*, owned by root; *staging* must not exist."""
    if source.is_dir():
        copy_tree(source, staging, keep_caches=keep_caches)
        source = staging
    try:
        with tarfile.open(fileobj=stream, mode="w") as archive:
            archive.add(source, name, filter=_owned_by_root)
    finally:
        remove_tree(staging)


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """An archive of plain files by name."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def _owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def unpack(stream: IO[bytes], destination: Path) -> None:
    """Bring the archive's one entry to *destination*; links are made last, so none is followed.

    The owner can read all of it, whatever its modes were. Sockets and devices are left out.
    """
    links: list[tuple[Path, str]] = []
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            target = destination.joinpath(*Path(member.name).parts[1:])
            if ".." in target.relative_to(destination).parts:
                raise OSError(f"{member.name}: leads out of the archive")
            if member.isdir():
                target.mkdir(exist_ok=True)
                target.chmod((member.mode & 0o777) | 0o700)
            elif member.issym():
                links.append((target, member.linkname))
            elif member.islnk():
                first = destination.joinpath(*Path(member.linkname).parts[1:])
                shutil.copyfile(first, target)
                shutil.copymode(first, target)
            elif member.isfile():
                _write(archive, member, target)
    for link, text in links:
        link.symlink_to(text)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = archive.extractfile(member)
    assert content is not None  # a plain file has content
    with target.open("wb") as file:
        shutil.copyfileobj(content, file)
    target.chmod((member.mode & 0o777) | 0o400)
