"""Log parsers by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.errors import ConfigError
from pytest_jagged.evaluation.log_parsers.django import parse_django
from pytest_jagged.evaluation.log_parsers.summary_lines import (
    parse_matplotlib,
    parse_pytest,
    parse_pytest_options,
    parse_seaborn,
)
from pytest_jagged.evaluation.log_parsers.swebench import swebench_parser
from pytest_jagged.evaluation.log_parsers.sympy import parse_sympy
from pytest_jagged.evaluation.log_parsers.verbose_lines import (
    parse_pytest_v2,
    parse_pytest_verbose,
)

__all__ = ["LogParser", "find_parser", "has_parser", "parser_names"]

LogParser = Callable[[str], dict[str, TestStatus]]

_OWN: Mapping[str, LogParser] = {
    "django": parse_django,
    "matplotlib": parse_matplotlib,
    "pytest": parse_pytest,
    "pytest_options": parse_pytest_options,
    "pytest_v2": parse_pytest_v2,
    "pytest_verbose": parse_pytest_verbose,
    "seaborn": parse_seaborn,
    "sympy": parse_sympy,
}
# Projects for which swebench has a second name of one of these.
_ALIASES = {
    **dict.fromkeys(
        ("astroid", "flask", "marshmallow", "pvlib", "pyvista", "sqlfluff", "xarray"), "pytest"
    ),
    **dict.fromkeys(("pydicom", "pylint", "requests"), "pytest_options"),
    **dict.fromkeys(("astropy", "scikit", "sphinx"), "pytest_v2"),
}
_SWEBENCH_PREFIX = "parse_log_"
_FORCED = "swebench:"


def parser_names() -> tuple[str, ...]:
    return tuple(sorted({*_OWN, *_ALIASES}))


def has_parser(name: str) -> bool:
    """Whether *name* is a parser of ours; swebench's `parse_log_` before it does not matter."""
    return name.removeprefix(_SWEBENCH_PREFIX) in parser_names()


def find_parser(name: str) -> LogParser:
    """A parser of ours by its own name or swebench's; swebench's own where it is called
    `swebench:NAME`, or `parse_log_NAME` and ours has none of that name.

    Raises:
        ConfigError: there is none, or swebench is asked for and not installed.
    """
    if name.startswith(_FORCED):
        return swebench_parser(_SWEBENCH_PREFIX + _plain(name))
    plain = _plain(name)
    own = _OWN.get(_ALIASES.get(plain, plain))
    if own is not None:
        return own
    if name.startswith(_SWEBENCH_PREFIX):
        return swebench_parser(name)
    close = difflib.get_close_matches(plain, parser_names(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; ours are {', '.join(parser_names())}"
    raise ConfigError(f"no log parser {name!r}{hint} (swebench:NAME runs one of swebench's)")


def _plain(name: str) -> str:
    return name.removeprefix(_FORCED).removeprefix(_SWEBENCH_PREFIX)
