"""Errors of ours as pytest shows errors of its user: one line, exit 4."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_jagged.errors import JaggedError

__all__ = ["usage_errors"]


@contextmanager
def usage_errors() -> Iterator[None]:
    try:
        yield
    except JaggedError as error:
        raise pytest.UsageError(f"jagged: {error}") from None
