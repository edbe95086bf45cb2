"""Where the real scaffolds are: below `$JAGGED_AGENTS`, or `.agents` of the checkout.

`.ci/agents` makes that folder: one virtual environment per version of a Python scaffold.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["MINI_VERSIONS", "mini_python"]

MINI_VERSIONS = ("1.17.5", "2.4.6")
_FOLDER = Path(os.environ.get("JAGGED_AGENTS", Path(__file__).parents[2] / ".agents"))


def mini_python(version: str) -> Path:
    """The interpreter beside this version of mini-swe-agent; skips where there is none."""
    python = _FOLDER / f"mini-swe-agent-{version}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no {python}; make it by .ci/agents")
    return python
