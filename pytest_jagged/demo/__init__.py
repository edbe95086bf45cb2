"""The packaged toy study behind `--jagged-config=demo`."""

from __future__ import annotations

from pathlib import Path

__all__ = ["STUDY"]

STUDY = Path(__file__).with_name("demo.yaml")
