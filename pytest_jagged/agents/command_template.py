"""Placeholders of commands, variables and configurations."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jagged.errors import ConfigError

__all__ = ["METERED", "check_command", "fill_command", "fill_value", "names_in"]

# Only known of a metered model.
METERED = ("model_id", "openai_url", "anthropic_url", "key")
_KNOWN = ("task_file", "workdir", "model", "result_file", "binary", "temperature", *METERED)
# `{{word}}` is `{word}` for the shell; `${WORD}` is the shell's own.
_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|(?<!\$)\{([A-Za-z_]\w*)\}")
_ABSENT = object()


def check_command(command: str) -> None:
    """Raises ConfigError for a placeholder that is none."""
    for literal, name in _PLACEHOLDER.findall(command):
        if literal or name in _KNOWN:
            continue
        raise ConfigError(
            f"agent.command: unknown placeholder {{{name}}}; valid: "
            + ", ".join(f"{{{known}}}" for known in _KNOWN)
            + f"; write {{{{{name}}}}} for the shell's own"
        )


def fill_command(command: str, values: Mapping[str, Any]) -> str:
    """Each value quoted for the shell; nothing where it is None."""
    return _PLACEHOLDER.sub(
        lambda m: f"{{{m[1]}}}" if m[1] else shlex.quote(_text(values[m[2]])), command
    )


def fill_value(value: Any, values: Mapping[str, Any]) -> Any:
    """A JSON value with the placeholders of its texts and keys filled in, unquoted.

    A text that is one placeholder takes the value itself (a number stays one), and is left out
    with its key where that is None. Braces around other words stay.
    """
    filled = _fill(value, values)
    return None if filled is _ABSENT else filled


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        pairs = ((_fill_text(str(key), values), _fill(item, values)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not _ABSENT}
    if isinstance(value, (list, tuple)):
        return [_fill(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole is not None and whole[2] in values:
        return _ABSENT if values[whole[2]] is None else values[whole[2]]
    return _fill_text(value, values)


def _fill_text(text: str, values: Mapping[str, Any]) -> str:
    return _PLACEHOLDER.sub(lambda m: _text(values[m[2]]) if m[2] in values else m[0], text)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def names_in(value: Any) -> Iterator[str]:
    """The placeholders of a command or of a JSON value."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from names_in(key)
            yield from names_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from names_in(item)
    elif isinstance(value, str):
        yield from (name for _, name in _PLACEHOLDER.findall(value) if name in _KNOWN)
