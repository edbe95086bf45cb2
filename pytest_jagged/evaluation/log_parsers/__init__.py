"""Per-test results from the output of suites whose results nobody collects otherwise.

The parsers named as in SWE-bench give the maps that swebench 5 gives, word for word: the required
ids of its data sets were written by them, with all their oddities.
"""

from __future__ import annotations

from pytest_jagged.evaluation.log_parsers.registry import (
    LogParser,
    find_parser,
    has_parser,
    parser_names,
)

__all__ = ["LogParser", "find_parser", "has_parser", "parser_names"]
