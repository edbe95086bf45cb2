"""A line on the terminal while a session runs, past pytest's capturing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

__all__ = ["announce", "verbosity"]


def verbosity(config: pytest.Config) -> int:
    """The option is the terminal plugin's, which may be switched off."""
    return int(getattr(config.option, "verbose", 0))


def announce(config: pytest.Config, line: str) -> None:
    """Nothing under -qq, and nothing without a terminal plugin."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and verbosity(config) > -2:
        with _uncaptured(config):
            reporter.ensure_newline()
            reporter.write_line(line, flush=True)


@contextmanager
def _uncaptured(config: pytest.Config) -> Iterator[None]:
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    if capture is None:
        yield
    else:
        with capture.global_and_fixture_disabled():
            yield
