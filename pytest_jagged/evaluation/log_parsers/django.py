"""Django's own runner at verbosity 2: `name (class) ... ok`, with output of the test in between."""

from __future__ import annotations

import re

from pytest_jagged.contracts.evaluation import TestStatus

__all__ = ["parse_django"]

_PASSED = (" ... ok", " ... OK", " ...  OK")
_VERSION = "--version is equivalent to version"
# django-7188 prints the name of a test behind its migrations.
_MIGRATION = "Applying sites.0002_alter_domain_unique...test_no_migrations"
# What Django itself prints between the name and an `ok` of a line of its own.
_INTERRUPTED = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(.*?)\s\.\.\.\sTesting\ against\ Django\ installed\ in\ ((?s:.*?))\ silenced\)\.\nok$",
        r"^(.*?)\s\.\.\.\sInternal\ Server\ Error:\ \/(.*)\/\nok$",
        r"^(.*?)\s\.\.\.\sSystem check identified no issues \(0 silenced\)\nok$",
    )
)


def parse_django(log: str) -> dict[str, TestStatus]:
    tests: dict[str, TestStatus] = {}
    last: str | None = None  # the test whose result is still to come
    for raw in log.split("\n"):
        line = raw.strip()
        if _VERSION in line:
            tests[_VERSION] = TestStatus.PASSED
        if " ... " in line:
            last = line.split(" ... ")[0]
        line = _note_result(tests, line)
        if line.startswith("ok") and last is not None:
            tests[last] = TestStatus.PASSED
    for pattern in _INTERRUPTED:
        for match in pattern.finditer(log):
            tests[match.group(1)] = TestStatus.PASSED
    return tests


def _note_result(tests: dict[str, TestStatus], line: str) -> str:
    """Take the results that the line itself gives; the line, without what stood before a name."""
    for suffix in _PASSED:
        if line.endswith(suffix):
            if line.startswith(_MIGRATION):
                line = line.split("...", 1)[-1].strip()
            tests[line.rsplit(suffix, 1)[0]] = TestStatus.PASSED
            break
    if " ... skipped" in line:
        tests[line.split(" ... skipped")[0]] = TestStatus.SKIPPED
    for word, status in (("FAIL", TestStatus.FAILED), ("ERROR", TestStatus.ERROR)):
        if line.endswith(f" ... {word}"):
            tests[line.split(f" ... {word}")[0]] = status
        if line.startswith(f"{word}:") and len(line.split()) > 1:
            tests[line.split()[1]] = status
    return line
