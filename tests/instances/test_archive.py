"""Archives that nobody has looked at."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances import archive as archive_module
from pytest_jagged.instances.archive import unpack

Entry = tuple[str, bytes, bytes, str]  # name, tar type, content, link target


def make_tar(path: Path, entries: list[Entry], mode: int = 0o644) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, kind, content, target in entries:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname, info.mode = kind, len(content), target, mode
            archive.addfile(info, io.BytesIO(content))
    return path


def a_file(name: str, content: bytes = b"x") -> Entry:
    return name, tarfile.REGTYPE, content, ""


def test_unpacks_files_and_folders(tmp_path: Path) -> None:
    entries = [("p-1", tarfile.DIRTYPE, b"", ""), a_file("p-1/a/b.py", b"hello"), a_file("p-1/c")]
    top = unpack(make_tar(tmp_path / "p.tar.gz", entries), tmp_path / "out")
    assert top == tmp_path / "out" / "p-1"
    assert (top / "a" / "b.py").read_bytes() == b"hello"


def test_modes_are_plain(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "p.tar.gz", [a_file("p-1/run")], mode=0o4777)
    mode = (unpack(path, tmp_path / "out") / "run").stat().st_mode
    assert stat.S_IMODE(mode) == 0o755


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (("p-1/l", tarfile.SYMTYPE, b"", "/etc/passwd"), "is a link; refused"),
        (("p-1/l", tarfile.SYMTYPE, b"", "a"), "is a link; refused"),
        (("p-1/l", tarfile.LNKTYPE, b"", "p-1/a"), "is a link; refused"),
        (("p-1/f", tarfile.FIFOTYPE, b"", ""), "is a device; refused"),
        (("p-1/d", tarfile.CHRTYPE, b"", ""), "is a device; refused"),
        (a_file("../evil"), "leaves the folder"),
        (a_file("p-1/../../evil"), "leaves the folder"),
        (a_file("/tmp/evil"), "leaves the folder"),
        (a_file("p-1\\..\\evil"), "leaves the folder"),
        (a_file("p-1/a"), "in the archive twice"),
        (a_file("p-1/./a"), "in the archive twice"),
        (a_file("other/a"), "must hold one top folder"),
        (a_file("PKG-INFO"), "must hold one top folder"),
    ],
)
def test_refused(tmp_path: Path, entry: Entry, says: str) -> None:
    path = make_tar(tmp_path / "p.tar.gz", [a_file("p-1/a"), entry])
    with pytest.raises(InstanceError, match=r"p\.tar\.gz") as caught:
        unpack(path, tmp_path / "in" / "out")
    assert says in str(caught.value)
    assert not list(tmp_path.glob("**/evil"))
    assert not Path("/tmp/evil").exists()


def test_a_file_cannot_become_a_folder(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "p.tar.gz", [a_file("p-1/a"), a_file("p-1/a/b")])
    with pytest.raises(InstanceError, match="p-1/a: is a file and a folder"):
        unpack(path, tmp_path / "out")


def test_size_is_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "_MAX_BYTES", 2 << 20)
    path = make_tar(tmp_path / "p.tar.gz", [a_file(f"p/{n}", bytes(1 << 20)) for n in range(3)])
    with pytest.raises(InstanceError, match="more than 2 MB unpacked"):
        unpack(path, tmp_path / "out")


def test_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "_MAX_FILES", 2)
    path = make_tar(tmp_path / "p.tar.gz", [a_file(f"p/{n}") for n in range(3)])
    with pytest.raises(InstanceError, match="more than 2 files"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("cut", [0, 10, 100])
def test_broken_archives(tmp_path: Path, cut: int) -> None:
    path = make_tar(tmp_path / "p.tar.gz", [a_file("p/a", bytes(range(256)) * 40)])
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InstanceError, match="not a readable archive"):
        unpack(path, tmp_path / "out")


def test_broken_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("p/a", bytes(10_000))
    data = bytearray(path.read_bytes())
    data[5_000] = 1
    path.write_bytes(data)
    with pytest.raises(InstanceError, match="not a readable archive: Bad CRC-32"):
        unpack(path, tmp_path / "out")


def test_names_that_no_disk_takes(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "p.tar.gz", [a_file("p/" + "x" * 400)])
    with pytest.raises(InstanceError, match="cannot be unpacked: File name too long"):
        unpack(path, tmp_path / "out")


def test_zip(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p-1/a.py", "hello")
        program = zipfile.ZipInfo("p-1/run")
        program.external_attr = 0o755 << 16
        archive.writestr(program, "x")
    top = unpack(path, tmp_path / "out")
    assert (top / "a.py").read_text() == "hello"
    assert (top / "run").stat().st_mode & 0o100


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil"])
def test_zip_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(InstanceError, match="leaves the folder"):
        unpack(path, tmp_path / "in" / "out")


def test_zip_links(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("p-1/l")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InstanceError, match="is a link; refused"):
        unpack(path, tmp_path / "out")
