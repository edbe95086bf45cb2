"""pydantic's findings in the user's words."""

from __future__ import annotations

from typing import Any

from pytest_jagged.config.validation import valid_keys
from pytest_jagged.errors import ConfigError
from pytest_jagged.yaml_file import Location, YamlFile, nearest

__all__ = ["explain"]

_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden", "unexpected_property")
_UNION_BRANCHES = ("int", "float", "str", "constrained-int", "tuple")
_CHOICES = ("literal_error", "enum")
# What the value must be, by the end of pydantic's name for the finding.
_EXPECTED = {
    "dataclass_type": "must be a mapping of keys to values",
    "dict_type": "must be a mapping of keys to values",
    "mapping_type": "must be a mapping of keys to values",
    "tuple_type": "must be a list, as in [a, b]",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "path_type": "must be a path in quotes",
}


def explain(file: YamlFile, error: Any) -> ConfigError:
    """The first finding of a pydantic.ValidationError: unknown keys, then the order of the file."""
    problem = min(error.errors(), key=lambda p: _rank(file, p))
    location = _location(problem)
    kind, given = problem["type"], problem.get("input")
    if kind in _UNKNOWN:
        return file.error(
            location, "unknown key" + nearest(str(location[-1]), valid_keys(location[:-1]))
        )
    if kind in ("missing", "missing_argument"):
        return file.error(location, "is missing; write it")
    if kind == "string_type" and isinstance(given, (bool, int, float)):
        return file.error(
            location, f"YAML reads this as {type(given).__name__} {given}; write it in quotes"
        )
    if given is None and kind not in _CHOICES:
        return file.error(location, f"is empty; it {_expectation(problem)} (or remove the key)")
    if kind in _CHOICES:
        expected = problem["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return file.error(location, f"{given!r} is not a choice{nearest(str(given), expected)}")
    return file.error(location, f"{_expectation(problem)}, not {_short(given)}")


def _expectation(problem: Any) -> str:
    text = _EXPECTED.get(problem["type"])
    if text is None:
        return "must be " + str(problem["msg"]).removeprefix("Input should be ")
    key = str(problem["loc"][-1])
    if "deadline" in problem["loc"]:
        return text + " of seconds, or 5h or 90m"
    return text + " of seconds" if text == "must be a number" and key.endswith("_s") else text


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _location(problem: Any) -> Location:
    """Without the parts that name the tried member of a union: types, not keys."""
    return tuple(
        part
        for part in problem["loc"]
        if not (isinstance(part, str) and ("[" in part or part in _UNION_BRANCHES))
    )


def _rank(file: YamlFile, problem: Any) -> tuple[bool, int]:
    location = _location(problem)
    while location and location not in file.lines:
        location = location[:-1]
    return problem["type"] not in _UNKNOWN, file.lines.get(location, 0)
