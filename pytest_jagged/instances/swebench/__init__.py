"""SWE-bench and the data sets of its form, read from a file of rows; their trees are in images."""

from __future__ import annotations

from pytest_jagged.instances.swebench.pro import ProRows
from pytest_jagged.instances.swebench.source import SwebenchRows

__all__ = ["ProRows", "SwebenchRows"]
