"""Source distributions through the user's pip, here with a folder as its only index."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances import sdist_fetch
from pytest_jagged.instances.pip import find_pip
from pytest_jagged.instances.sdist import Sdist, download_by_command, fetch_sdist
from tests.instances.folders import make_sdist, make_wheel, sha256


def test_fetched_once_without_running_its_build_script(index: Path, cache: Path) -> None:
    path = make_sdist(index, "calc", "1.0", {"calc.py": "x = 1\n"})
    make_sdist(index, "calc", "1.0.1", {"calc.py": "x = 2\n"})
    make_wheel(index, "calc", "1.0", {"calc.py": "x = 1\n"})
    sdist = Sdist("calc", "1.0", sha256(path))
    lines: list[str] = []
    found = fetch_sdist(sdist, cache, lines.append)
    assert found.read_bytes() == path.read_bytes()
    path.unlink()
    assert fetch_sdist(sdist, cache, lines.append) == found
    assert lines == ["fetching calc 1.0 (source)"]


def test_names_are_compared_as_indexes_do(index: Path, cache: Path) -> None:
    path = make_sdist(index, "My_Calc", "1.0", {})
    assert fetch_sdist(Sdist("my-calc", "1.0", sha256(path)), cache, print).exists()


def test_wheels_only_setting_does_not_hide_it(
    index: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_sdist(index, "calc", "1.0", {})
    monkeypatch.setenv("PIP_ONLY_BINARY", ":all:")
    assert fetch_sdist(Sdist("calc", "1.0", sha256(path)), cache, print).exists()


def test_wrong_hash(index: Path, cache: Path) -> None:
    make_sdist(index, "calc", "1.0", {})
    with pytest.raises(InstanceError, match=r"calc 1\.0: wrong sha256: no file of the index"):
        fetch_sdist(Sdist("calc", "1.0", "0" * 64), cache, print)
    assert not (cache / "sdists" / ("0" * 64)).exists()


def test_wrong_bytes_in_the_cache(index: Path, cache: Path) -> None:
    path = make_sdist(index, "calc", "1.0", {})
    sdist = Sdist("calc", "1.0", sha256(path))
    fetch_sdist(sdist, cache, print).write_bytes(b"something else")
    with pytest.raises(InstanceError, match=r"calc 1\.0: wrong sha256: expected") as caught:
        fetch_sdist(sdist, cache, print)
    assert "remove the file" in str(caught.value)


def test_no_such_release(index: Path, cache: Path) -> None:
    make_wheel(index, "calc", "1.0", {})
    with pytest.raises(InstanceError, match=r"calc 1\.0: pip finds no source distribution"):
        fetch_sdist(Sdist("calc", "1.0", "0" * 64), cache, print)


@pytest.mark.usefixtures("index")
def test_no_index_at_all(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(InstanceError, match="check its index and the connection") as caught:
        fetch_sdist(Sdist("calc", "1.0", "0" * 64), cache, print)
    assert "\n" not in str(caught.value)


def test_unknown_pip_says_so(tmp_path: Path) -> None:
    """A pip of other insides makes the caller take the documented command instead."""
    package = tmp_path / "pip"
    (package / "_internal").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "_internal" / "__init__.py").write_text("")
    done = subprocess.run(
        [sys.executable, sdist_fetch.__file__, "calc", "1.0", "0" * 64, str(tmp_path / "x")],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == sdist_fetch.PIP_DIFFERS
    assert b"pip's insides differ" in done.stderr


BACKEND = {
    "pyproject.toml": """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
""",
    "backend.py": """\
from pathlib import Path


def prepare_metadata_for_build_wheel(folder, settings=None):
    metadata = Path(folder, "calc-1.0.dist-info")
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\\nName: calc\\nVersion: 1.0\\n")
    return metadata.name


def build_wheel(folder, settings=None, metadata=None):
    raise SystemExit("nobody asked for a wheel")
""",
}


def test_the_documented_command(index: Path, tmp_path: Path) -> None:
    """The way for an unknown pip; that one does run the package's build backend."""
    path = make_sdist(index, "calc", "1.0", BACKEND)
    sdist = Sdist("calc", "1.0", sha256(path))
    download_by_command(find_pip(), sdist, tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == path.read_bytes()
    with pytest.raises(InstanceError, match=r"calc 1\.0: wrong sha256: expected 0000"):
        download_by_command(find_pip(), replace(sdist, sha256="0" * 64), tmp_path / "found")


@pytest.mark.usefixtures("index")
def test_the_documented_command_fails_in_one_line(tmp_path: Path) -> None:
    sdist = Sdist("calc", "1.0", "0" * 64)
    with pytest.raises(InstanceError, match=r"calc 1\.0: No matching distribution") as caught:
        download_by_command(find_pip(), sdist, tmp_path / "found")
    assert "\n" not in str(caught.value)
