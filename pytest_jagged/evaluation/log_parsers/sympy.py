"""Sympy's `bin/test --verbose`: `test_name ok|F|E`, and a header above each traceback."""

from __future__ import annotations

import re

from pytest_jagged.contracts.evaluation import TestStatus

__all__ = ["parse_sympy"]

_HEADER = re.compile(r"(_*) (.*)\.py:(.*) (_*)")
_ENDINGS = ((" E", TestStatus.ERROR), (" F", TestStatus.FAILED), (" ok", TestStatus.PASSED))


def parse_sympy(log: str) -> dict[str, TestStatus]:
    """The last test of a file is not seen, since `[OK]` or `[FAIL]` ends its line; ids have no
    file, so that tests of one name in two files are one. Both as in SWE-bench.
    """
    tests = {f"{file}.py:{name}": TestStatus.FAILED for _, file, name, _ in _HEADER.findall(log)}
    for raw in log.split("\n"):
        line = raw.strip()
        if line.startswith("test_"):
            for ending, status in _ENDINGS:
                if line.endswith(ending):
                    tests[line.split()[0]] = status
    return tests
