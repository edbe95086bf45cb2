"""Load a study file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from pytest_jagged.config.availability import check_availability
from pytest_jagged.config.checks import check_study
from pytest_jagged.config.explanation import explain
from pytest_jagged.config.plain import check_plain
from pytest_jagged.config.shorthand import expand_shorthand
from pytest_jagged.config.validation import valid_keys, validate_plain
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.yaml_file import YamlFile, nearest, read_yaml

__all__ = ["load_study"]


def load_study(
    path: Path, *, runs: int | None = None, budget_usd: float | None = None
) -> StudySettings:
    """Read and validate a study file; options given on the command line win over its keys.

    Raises:
        ConfigError: one line with file, line, key, what is wrong and what would be right.
    """
    path = Path(path)
    file = read_yaml(path)
    if "source" in file.value:  # a field of the settings, but no key of the file
        raise file.error(("source",), "unknown key" + nearest("source", valid_keys(())))
    check_plain(file)
    value = expand_shorthand(file)
    if runs is not None:
        value["runs"] = runs
    if budget_usd is not None:
        value["session"] = _with_budget(value.get("session", {}), budget_usd)
    value.setdefault("name", path.stem)
    settings = dataclasses.replace(_validate(file, value), source=path.resolve())
    check_study(file, settings)
    check_availability(file, settings)
    return settings


def _with_budget(session: Any, budget_usd: float) -> Any:
    """A session block that is no mapping stays as it is, to be refused."""
    return {**session, "budget_usd": budget_usd} if isinstance(session, dict) else session


def _validate(file: YamlFile, value: dict[str, Any]) -> StudySettings:
    from pydantic import ValidationError

    try:
        return validate_plain(value)
    except ValidationError as error:
        raise explain(file, error) from None
