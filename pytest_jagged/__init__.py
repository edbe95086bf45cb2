"""Measure how robust code agents are to semantics-preserving rewrites of their repository."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
