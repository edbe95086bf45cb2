"""For the project's own tests: CI's rule that a skip of a named kind is a failure.

(pytester is switched on in pyproject.toml: a conftest that names plugins breaks sessions that start
elsewhere, such as the demo from an editable install.)
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

# Markers whose tests may skip on a developer's machine but not where JAGGED_REQUIRE names them.
_REQUIRED = frozenset(os.environ.get("JAGGED_REQUIRE", "").replace(" ", "").split(",")) - {""}


def pytest_configure(config: pytest.Config) -> None:
    """A name that no marker has would require nothing."""
    known = {line.split(":")[0].split("(")[0].strip() for line in config.getini("markers")}
    for name in sorted(_REQUIRED - known):
        raise pytest.UsageError(f"JAGGED_REQUIRE: {name!r} is no marker of these tests")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    required = _REQUIRED & {marker.name for marker in item.iter_markers()}
    if report.skipped and required and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"required here ({', '.join(sorted(required))}): {report.longrepr}"
    return report
