"""Command-line agents that come configured: one YAML file each, in `presets/`."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jagged.agents.command import CommandAgent
from pytest_jagged.agents.merging import merged
from pytest_jagged.contracts.agent import AgentJob, AgentResult
from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError

__all__ = ["Preset", "PresetAgent", "load_preset", "preset_names", "program_version"]

_FOLDER = Path(__file__).with_name("presets")
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


@dataclass(frozen=True, slots=True)
class Preset:
    """`binary` is what PATH calls the program; `options` are the command agent's."""

    name: str
    summary: str
    binary: str
    install: str
    command: str
    options: Mapping[str, Any]


def preset_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def load_preset(name: str) -> Preset:
    import yaml

    value = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text("utf-8"))
    return Preset(name=name, **value)


class PresetAgent:
    """The command agent with a preset's command and options; a study's own options go over them.

    The version is what the program itself says.
    """

    needs_gold_patch = False
    uses_model = True

    def __init__(self, settings: AgentSettings, model: ModelSettings | None) -> None:
        if model is None:
            raise ConfigError(f"agent: {settings.name} needs a model; write model: {{name: …}}")
        self.name = settings.name
        self._preset = load_preset(settings.name)
        self._settings = settings
        options = merged(self._preset.options, settings.options)
        options.setdefault("binary", shutil.which(self._preset.binary) or self._preset.binary)
        self._binary = Path(str(options["binary"])).expanduser()
        own = replace(settings, command=self._preset.command, options=options)
        self._agent = CommandAgent(own, model)

    def probe(self) -> str:
        found, wanted = self._version, self._settings.version
        if wanted is not None and wanted != found:
            raise ConfigError(
                f"agent.version: {wanted} is asked for, {self._binary} is {found}; install the"
                " other or change the version"
            )
        self._agent.probe()
        return found

    @cached_property
    def _version(self) -> str:
        version = program_version(self._binary)
        if version is None:
            raise ConfigError(
                f"agent: {self.name}: no program {self._binary}; {self._preset.install}"
            )
        return version

    def identity(self) -> Mapping[str, Any]:
        return {**self._agent.identity(), "name": self.name, "version": self._version}

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        return self._agent.run(job, environment)


def program_version(program: Path) -> str | None:
    """What `--version` says; None where it does not run."""
    with tempfile.TemporaryDirectory() as home:
        try:
            done = subprocess.run(
                [str(program), "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home},
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    found = _VERSION.search(done.stdout)
    return found[0] if done.returncode == 0 and found else None
