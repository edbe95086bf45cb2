"""What a study says of itself on disk, and its report from the records of this plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_jagged.contracts.case import Case

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study
    from pytest_jagged.reporting.report import Report

__all__ = ["describe_study", "report_study"]
