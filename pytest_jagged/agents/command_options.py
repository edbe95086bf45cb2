"""The options of a command agent, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_jagged.errors import ConfigError

__all__ = ["CommandOptions"]

_VALID = ("pass_env", "env", "json_env", "binary", "trajectory")


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """`pass_env` names host variables; `json_env` are variables whose value is JSON text; `binary`
    is a program of the host, put into environments that cannot see it; with `json_lines` standard
    output is the trajectory.
    """

    pass_env: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    json_env: Mapping[str, Any] = field(default_factory=dict)
    binary: Path | None = None
    json_lines: bool = False

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> CommandOptions:
        """Raises ConfigError naming the option."""
        for name in options:
            if name not in _VALID:
                raise ConfigError(
                    f"agent.options: unknown option {name!r}; valid: {', '.join(_VALID)}"
                )
        return cls(
            pass_env=_names(options.get("pass_env", [])),
            env=_variables(options.get("env", {})),
            json_env=_mapping("json_env", options.get("json_env", {})),
            binary=_binary(options.get("binary")),
            json_lines=_is_json_lines(options.get("trajectory")),
        )


def _names(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(_is_variable(name) for name in names):
        raise ConfigError(f"agent.options.pass_env: {value!r}; write a list of variable names")
    return tuple(names)


def _variables(value: Any) -> dict[str, str]:
    for name, text in _mapping("env", value).items():
        if not isinstance(text, str) or "\0" in text:
            raise ConfigError(f"agent.options.env.{name}: {text!r} is no text; write it in quotes")
    return dict(value)


def _mapping(option: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(_is_variable(name) for name in value):
        what = "texts" if option == "env" else "values"
        raise ConfigError(f"agent.options.{option}: {value!r}; write a mapping of names to {what}")
    return dict(value)


def _binary(value: Any) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise ConfigError(f"agent.options.binary: {value!r} is no path; write it in quotes")
    return Path(value).expanduser()


def _is_json_lines(value: Any) -> bool:
    if value not in (None, "json_lines"):
        raise ConfigError(f"agent.options.trajectory: {value!r}; write json_lines or remove it")
    return value is not None


def _is_variable(name: Any) -> bool:
    return isinstance(name, str) and name != "" and not {"=", "\0"} & set(name)
