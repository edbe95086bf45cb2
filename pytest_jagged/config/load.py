"""Load a study file."""

from __future__ import annotations

import dataclasses
import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_jagged.config.availability import check_availability
from pytest_jagged.config.checks import check_study
from pytest_jagged.config.shorthand import expand_shorthand
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.yaml_file import Location, YamlFile, nearest, read_yaml

__all__ = ["load_study", "study_adapter", "valid_keys"]


@lru_cache(maxsize=1)
def study_adapter() -> Any:
    """pydantic's validator of the settings dataclasses: types, bounds, no unknown keys."""
    from pydantic import ConfigDict, TypeAdapter

    _forbid_unknown_keys(StudySettings, ConfigDict(extra="forbid"))
    return TypeAdapter(StudySettings)


def _forbid_unknown_keys(root: type, policy: Any) -> None:
    """Set the policy on every settings dataclass reachable from *root*."""
    from pytest_jagged.contracts import settings

    for name in vars(settings):
        kind = getattr(settings, name)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            kind.__pydantic_config__ = policy  # type: ignore[attr-defined]
    assert root.__pydantic_config__ is policy  # type: ignore[attr-defined]


def valid_keys(location: Location) -> list[str]:
    """The keys that the mapping at *location* may have; empty where any may."""
    import typing

    kind: Any = StudySettings
    for part in location:
        if isinstance(part, int):
            kind = typing.get_args(kind)[0]
            continue
        if not dataclasses.is_dataclass(kind):
            return []
        hints = typing.get_type_hints(kind)
        kind = _dataclass_or_sequence(hints.get(part))
    return [f.name for f in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []


def _dataclass_or_sequence(kind: Any) -> Any:
    import types
    import typing

    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        for member in typing.get_args(kind):
            if dataclasses.is_dataclass(member) or typing.get_origin(member) is tuple:
                return member
    return kind


def load_study(
    path: Path, *, runs: int | None = None, budget_usd: float | None = None
) -> StudySettings:
    """Read and validate a study file; options given on the command line win over its keys.

    Raises:
        ConfigError: one line with file, line, key, what is wrong and what would be right.
    """
    path = Path(path)
    file = read_yaml(path)
    value = expand_shorthand(file)
    if runs is not None:
        value["runs"] = runs
    if budget_usd is not None:
        given = value.get("session")
        session = given if isinstance(given, dict) else {}
        value["session"] = {**session, "budget_usd": budget_usd}
    value.setdefault("name", path.stem)
    settings = _validate(file, value)
    settings = dataclasses.replace(settings, source=path.resolve())
    check_study(file, settings)
    check_availability(file, settings)
    return settings


def _validate(file: YamlFile, value: dict[str, Any]) -> StudySettings:
    from pydantic import ValidationError

    value.pop("source", None) if "source" not in file.value else None
    if "source" in file.value:
        raise file.error(("source",), "unknown key" + nearest("source", _public_keys(())))
    try:
        return study_adapter().validate_python(value)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise _explain(file, error) from None


def _public_keys(location: Location) -> list[str]:
    return [key for key in valid_keys(location) if location or key != "source"]


def _explain(file: YamlFile, error: Any) -> ConfigError:
    """The first problem in file order, in the user's words."""
    problems = sorted(error.errors(), key=lambda p: _order(file, p))
    problem = problems[0]
    location = tuple(p for p in problem["loc"] if not _is_union_branch(p))
    kind, given = problem["type"], problem.get("input")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        valid = _public_keys(location[:-1])
        return file.error(location, "unknown key" + nearest(str(location[-1]), valid))
    if kind in ("missing", "missing_argument"):
        return file.error(location, "is missing; write it")
    if kind == "string_type" and isinstance(given, (bool, int, float, datetime.date)):
        return file.error(
            location, f"YAML reads this as {type(given).__name__} {given}; write it in quotes"
        )
    if kind in ("literal_error", "enum"):
        expected = problem["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return file.error(location, f"{given!r} is not a choice{nearest(str(given), expected)}")
    return file.error(location, f"{problem['msg'].lower()} (got {given!r})")


def _is_union_branch(part: str | int) -> bool:
    """pydantic names the tried member of a union in the location: types, not keys."""
    return isinstance(part, str) and (
        "[" in part or part in ("int", "float", "str", "constrained-int", "tuple")
    )


def _order(file: YamlFile, problem: Any) -> tuple[bool, int]:
    location = tuple(p for p in problem["loc"] if not _is_union_branch(p))
    unknown = problem["type"] in ("unexpected_keyword_argument", "extra_forbidden")
    while location and location not in file.lines:
        location = location[:-1]
    return not unknown, file.lines.get(location, 0)
