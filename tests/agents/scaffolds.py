"""Where the real scaffolds are: below `$JAGGED_AGENTS`, or `.agents` of the checkout.

`.ci/agents` makes that folder: one virtual environment per version of a Python scaffold.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["MINI_VERSIONS", "PROGRAMS", "mini_python", "program"]

MINI_VERSIONS = ("1.17.5", "2.4.6")
_FOLDER = Path(os.environ.get("JAGGED_AGENTS", Path(__file__).parents[2] / ".agents"))


def mini_python(version: str) -> Path:
    """The interpreter beside this version of mini-swe-agent; skips where there is none."""
    python = _FOLDER / f"mini-swe-agent-{version}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no {python}; make it by .ci/agents")
    return python


# Program by scaffold and version, as npm lays it out.
PROGRAMS = {
    ("opencode", "1.18.4"): "opencode-linux-x64/bin/opencode",
    ("opencode", "1.18.33"): "opencode-linux-x64/bin/opencode",
    ("claude-code", "2.1.197"): "@anthropic-ai/claude-code-linux-x64/claude",
    ("codex", "0.171.0"): ("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
}


def program(scaffold: str, version: str) -> Path:
    """The program of a scaffold from npm; skips where there is none."""
    path = _FOLDER / f"{scaffold}-{version}" / "node_modules" / PROGRAMS[scaffold, version]
    if not path.exists():
        pytest.skip(f"no {path}; make it by .ci/agents")
    return path
