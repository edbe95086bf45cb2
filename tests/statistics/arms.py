"""Arms and cells from counts."""

from __future__ import annotations

from pytest_jagged.statistics.cells import Arm, PairedInstance


def counted(resolved: int, runs: int) -> Arm:
    return Arm((True,) * resolved + (False,) * (runs - resolved))


def cell(k1: int, n1: int, k2: int, n2: int, name: str = "x") -> PairedInstance:
    return PairedInstance(name, counted(k1, n1), counted(k2, n2))


def varied(*variants: str) -> Arm:
    """One word a variant, one letter a run: `("110", "0")`."""
    return Arm(
        resolved=tuple(letter == "1" for word in variants for letter in word),
        variants=tuple(f"v{i}" for i, word in enumerate(variants) for _ in word),
    )
