"""What the scripts of SWE-bench print around the output of a suite."""

from __future__ import annotations

__all__ = ["END_MARK", "START_MARK"]

START_MARK = ">>>>> Start Test Output"
END_MARK = ">>>>> End Test Output"
