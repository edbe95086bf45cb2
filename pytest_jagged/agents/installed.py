"""Which scaffolds this machine has."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from pytest_jagged.agents.mini_swe_agent import INSTALL, installed_version
from pytest_jagged.agents.preset import load_preset, preset_names, program_version
from pytest_jagged.errors import ConfigError

__all__ = ["Scaffold", "find_scaffolds"]


@dataclass(frozen=True, slots=True)
class Scaffold:
    """`found` says which version is where; None with what is `missing` then."""

    name: str
    found: str | None
    missing: str = ""


def find_scaffolds(mini_python: Path | None = None) -> list[Scaffold]:
    """Those on PATH; of mini-swe-agent the one beside *mini_python*, if that is given."""
    mini = _find_mini(mini_python or _interpreter_of("mini"))
    return [mini, *map(_find_preset, preset_names())]


def _find_preset(name: str) -> Scaffold:
    preset = load_preset(name)
    program = shutil.which(preset.binary)
    version = None if program is None else program_version(Path(program))
    if version is None:
        return Scaffold(name, None, f"no `{preset.binary}` on PATH that runs; {preset.install}")
    return Scaffold(name, f"{version} ({program})")


def _find_mini(python: Path | None) -> Scaffold:
    name = "mini-swe-agent"
    if python is None:
        missing = f"no `mini` on PATH and no --python; {INSTALL}"
        return Scaffold(name, None, missing)
    try:
        return Scaffold(name, f"{installed_version(python)} (python: {python})")
    except ConfigError as error:
        return Scaffold(name, None, str(error).removeprefix("agent.python: "))


def _interpreter_of(script: str) -> Path | None:
    """The Python that a console script on PATH names in its first line."""
    path = shutil.which(script)
    if path is None:
        return None
    with Path(path).open("rb") as file:
        first = file.readline(1000).decode("utf-8", "replace").strip()
    python = first.removeprefix("#!").strip()
    return Path(python) if first.startswith("#!") and "python" in python else None
