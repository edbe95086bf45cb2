"""What a study says of itself on disk, and its report from the records of this plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

__all__ = ["describe_study", "report_study"]
