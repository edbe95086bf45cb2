"""The interpreter environment in which an instance's tests run: its test packages, nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.cache import cache_lock
from pytest_jagged.instances.host_python import HostPython
from pytest_jagged.instances.pip import find_installer, run_pip

__all__ = ["canonical_name", "prepare_interpreter", "requirement_name"]

_READY = ".ready"
_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_VENV_TIMEOUT_S = 300


def canonical_name(name: str) -> str:
    """The package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_name(requirement: str) -> str:
    """Canonical name of a requirement such as `pytest>=8`; empty where it has none (a URL)."""
    match = _NAME.match(requirement)
    return canonical_name(match[1]) if match else ""


def prepare_interpreter(
    python: HostPython,
    packages: Sequence[str],
    forbidden: str | None,
    cache: Path,
    progress: Callable[[str], None],
) -> Path:
    """The python of an environment with *packages*, made once per machine.

    *forbidden* is the instance's own package: an installed copy could stand in for the tree.

    Raises:
        InstanceError: pip cannot install a package, or one of them brings *forbidden* along.
    """
    key = json_digest([str(python.path), list(python.version), sorted(packages)])[:16]
    name = "{}.{}".format(*python.minor)
    place = cache / "interpreters" / f"{name}-{key}"
    # Environments cannot be moved (their scripts name the interpreter by path), so this one is
    # made where it stays, and a mark says that it is whole.
    if not (place / _READY).exists():
        with cache_lock(place):
            if not (place / _READY).exists():
                shutil.rmtree(place, ignore_errors=True)
                contents = f" with {', '.join(packages)}" if packages else ""
                progress(f"making a Python {name} environment{contents}")
                _create(python, place)
                _install(place, packages)
                (place / _READY).touch()
    if forbidden is not None:
        _refuse(forbidden, place, packages)
    return place / "bin" / "python"


def _create(python: HostPython, place: Path) -> None:
    done = subprocess.run(
        [python.path, "-m", "venv", "--without-pip", place],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=_VENV_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise InstanceError(f"python: {python.path} -m venv: {lines[-1] if lines else 'failed'}")


def _install(place: Path, packages: Sequence[str]) -> None:
    if not packages:
        return
    # pip also reads a configuration file in the environment it runs for.
    own, link = Path(sys.prefix) / "pip.conf", place / "pip.conf"
    if own.is_file():
        link.symlink_to(own)
    pip = find_installer(place / "bin" / "python")
    options = ["--quiet", "--no-user", "--no-warn-script-location"]
    try:
        run_pip(pip, ["install", *options, "--", *packages], "test_deps")
    finally:
        link.unlink(missing_ok=True)


def _refuse(forbidden: str, place: Path, packages: Sequence[str]) -> None:
    for metadata in place.glob("lib/python*/site-packages/*-info"):
        name = re.split(r"-\d", metadata.stem, maxsplit=1)[0]
        if canonical_name(name) == canonical_name(forbidden):
            raise InstanceError(
                f"test_deps: {', '.join(packages)} install {forbidden} itself, which would stand"
                " in for the tree; remove the package that needs it"
            )
