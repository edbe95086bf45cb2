"""A YAML mapping with the line of every key, so that an error can point at it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_jagged.errors import ConfigError

__all__ = ["Location", "YamlFile", "nearest", "read_yaml"]

Location = tuple[str | int, ...]

_MOST_PARTS = 200_000  # aliases of aliases can stand for more than fits in memory
_STRING = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"


def nearest(word: str, valid: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the list of valid words where none is near."""
    names = sorted(valid)
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; valid: {', '.join(names)}"


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The plain value of a YAML document and where each part of it stands."""

    path: Path
    value: dict[str, Any]
    lines: dict[Location, int] = field(default_factory=dict)

    def error(self, location: Location, message: str) -> ConfigError:
        """`FILE:LINE: key.path: message`, with the line of the nearest enclosing key."""
        where = location
        while where and where not in self.lines:
            where = where[:-1]
        line = self.lines.get(where, 1)
        key = ".".join(str(part) for part in location)
        return ConfigError(f"{self.path}:{line}: {key + ': ' if key else ''}{message}")


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML mapping.

    Raises:
        ConfigError: the file is missing, not UTF-8, not YAML, not a mapping, or names a key twice.
    """
    import yaml

    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; name the YAML file in it") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        file = YamlFile(path, {})
        if node is not None:
            _locate(node, (), file)
        value = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise ConfigError(f"{path}:{line}: not valid YAML: {error.problem}") from None
    except RecursionError:
        raise ConfigError(
            f"{path}:1: nested too deeply, or an alias holds itself; write it out"
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path}:1: not valid YAML: {_one_line(error)}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path}:1: must be a mapping of keys to values, not {_kind(value)}")
    return YamlFile(path, value, file.lines)


def _locate(node: Any, location: Location, file: YamlFile) -> None:
    import yaml

    file.lines.setdefault(location, node.start_mark.line + 1)
    if len(file.lines) > _MOST_PARTS:
        raise file.error(location[:1], f"has more than {_MOST_PARTS} parts; use fewer aliases")
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            here = (*location, name)
            file.lines[here] = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.tag not in (_STRING, _MERGE):
                kind = key.tag.rpartition(":")[2]
                raise file.error(here, f"YAML reads this key as {kind}; write it in quotes")
            if name in seen and key.tag != _MERGE:
                raise file.error(here, "named twice; remove one")
            seen.add(name)
            _locate(value, here, file)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _locate(item, (*location, index), file)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
