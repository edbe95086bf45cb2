"""docs/transformations.md shows what the transformations do now."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    build = runpy.run_path(str(ROOT / "tools" / "build_transformation_docs.py"))
    written = (ROOT / "docs" / "transformations.md").read_text("utf-8")
    assert written == build["page"](), "run python tools/build_transformation_docs.py"
