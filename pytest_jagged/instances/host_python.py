"""Python interpreters present on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.errors import InstanceError

__all__ = ["HostPython", "ask_python", "find_python"]

_ASK = (
    "import json, sys; print(json.dumps([getattr(sys, '_base_executable', '') or sys.executable,"
    " list(sys.version_info[:3])]))"
)
_ASK_TIMEOUT_S = 20
_NEWEST_MINOR = 20


@dataclass(frozen=True, slots=True)
class HostPython:
    """`path` is the interpreter outside any virtual environment."""

    path: Path
    version: tuple[int, int, int]

    @property
    def minor(self) -> tuple[int, int]:
        return self.version[:2]


def find_python(specifier: str) -> HostPython:
    """The running interpreter where it fits, else the first that fits on PATH or under pyenv.

    Raises:
        InstanceError: none fits; names those that were found.
    """
    from packaging.specifiers import SpecifierSet

    wanted = SpecifierSet(specifier)
    seen: list[HostPython] = []
    for python in _known():
        if wanted.contains(".".join(map(str, python.version)), prereleases=True):
            return python
        seen.append(python)
    names = sorted({".".join(map(str, python.version)) for python in seen})
    raise InstanceError(
        f"python: no interpreter fits {specifier!r} (found {', '.join(names)}); install one"
    )


def _known() -> Iterator[HostPython]:
    running = getattr(sys, "_base_executable", "") or sys.executable
    yield HostPython(Path(running), sys.version_info[:3])
    asked: set[Path] = {Path(running).resolve()}
    for path in _candidates():
        resolved = path.resolve()
        if resolved not in asked:
            asked.add(resolved)
            found = ask_python(path)
            if found is not None:
                yield found


def _candidates() -> Iterator[Path]:
    """Newest versions first; names without a version last."""
    minors = [f"python3.{minor}" for minor in range(_NEWEST_MINOR, 5, -1)]
    for name in (*minors, "python3", "python"):
        found = shutil.which(name)
        if found:
            yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    managed = [*(pyenv / "versions").glob("*"), *_uv_root().glob("*")]
    for version in sorted(managed, key=_version_order, reverse=True):
        if (version / "bin" / "python3").exists():
            yield version / "bin" / "python3"


def _uv_root() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "uv" / "python"


def _version_order(path: Path) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"\d+", path.name)][:3], path.name


def ask_python(path: Path) -> HostPython | None:
    """None where the file is no working interpreter (pyenv's shims fail for unset versions)."""
    try:
        done = subprocess.run(
            [path, "-I", "-c", _ASK],
            capture_output=True,
            timeout=_ASK_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        executable, version = json.loads(done.stdout)
        return HostPython(Path(executable), (version[0], version[1], version[2]))
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
