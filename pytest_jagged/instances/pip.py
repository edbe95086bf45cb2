"""pip, as the user configured it, run in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path

from pytest_jagged.errors import InstanceError

__all__ = ["PipCommand", "find_installer", "find_pip", "pip_exit", "run_pip"]

_TIMEOUT_S = 1800
_FIRST_WITH_PYTHON_OPTION = (22, 3)
# Would make pip see packages of another place as installed, or install to another place.
_ELSEWHERE = frozenset(
    {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"}
)


@dataclass(frozen=True, slots=True)
class PipCommand:
    """An interpreter, the variables under which it can `import pip`, and pip's global options."""

    python: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def find_pip() -> PipCommand:
    """pip of the running interpreter, the one bundled with Python, or the one on PATH.

    Raises:
        InstanceError: there is none.
    """
    running = Path(sys.executable)
    if _own_version() is not None:
        return PipCommand(running)
    found = _bundled_pip(running) or _pip_on_path()
    if found is None:
        raise InstanceError("pip: not found; install it (python -m ensurepip)")
    return found


def find_installer(python: Path) -> PipCommand:
    """A pip that installs into the environment of *python*, which has none itself."""
    for_other = ("--python", str(python))
    version = _own_version()
    if version is not None and version >= _FIRST_WITH_PYTHON_OPTION:
        return PipCommand(Path(sys.executable), options=for_other)
    bundled = _bundled_pip(python)
    if bundled is not None:
        return bundled
    found = _pip_on_path()
    if found is None:
        raise InstanceError("pip: not found in version 22.3 or later; upgrade it")
    return replace(found, options=for_other)


def _own_version() -> tuple[int, ...] | None:
    try:
        numbers = re.findall(r"\d+", metadata.version("pip"))
    except metadata.PackageNotFoundError:
        return None
    return tuple(int(number) for number in numbers[:2])


def _bundled_pip(python: Path) -> PipCommand | None:
    """The wheel that `ensurepip` of *python* would install."""
    ask = "import ensurepip, os; print(os.path.dirname(ensurepip.__file__))"
    done = subprocess.run(
        [python, "-I", "-c", ask], capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode != 0:
        return None
    wheels = sorted((Path(done.stdout.strip()) / "_bundled").glob("pip-*.whl"))
    return PipCommand(python, {"PYTHONPATH": str(wheels[-1])}) if wheels else None


def _pip_on_path() -> PipCommand | None:
    for name in ("pip3", "pip"):
        script = shutil.which(name)
        if script is not None:
            first = Path(script).read_bytes().split(b"\n", 1)[0].decode("utf-8", "replace")
            python = Path(first.removeprefix("#!").strip())
            if first.startswith("#!/") and python.is_file():
                return PipCommand(python)
    return None


def run_pip(pip: PipCommand, arguments: Sequence[str], what: str) -> None:
    """Run a pip command to a successful end.

    Raises:
        InstanceError: `what: ` and pip's own last error, in one line.
    """
    variables = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    code, error = pip_exit(pip, ["-m", "pip", *pip.options, *arguments], variables)
    if code != 0:
        raise InstanceError(f"{what}: {error}")


def pip_exit(
    pip: PipCommand, arguments: Sequence[str], variables: Mapping[str, str] = os.environ
) -> tuple[int, str]:
    """Run the interpreter that has pip; exit code, and the last error in one line."""
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    try:
        done = subprocess.run(
            [pip.python, *arguments],
            capture_output=True,
            env={**variables, **pip.variables, **quiet},
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InstanceError(f"pip: no answer in {_TIMEOUT_S} s; check the connection") from None
    return done.returncode, _last_error(done.stderr)


def _last_error(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    others = [line for line in lines if line]
    message = (errors or others or ["pip failed without a word"])[-1]
    return message if len(message) <= 300 else message[:300] + "…"
