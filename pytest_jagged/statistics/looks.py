"""The confidence of each look at data that grow, so that all looks together err as stated."""

from __future__ import annotations

__all__ = ["look_confidence"]

# Kim and DeMets 1987: α(t) = α·t³. Early looks take little, so that the last is hardly wider.
_POWER = 3


def look_confidence(look: int, looks: int, confidence: float) -> float:
    """Of every interval at the *look*-th of *looks* equally spaced ones, both from 1.

    The looks share α = 1 − confidence, and errors of several looks add up at most: the bound holds
    for any interval that holds its own confidence, however runs were allotted between looks.

    Raises:
        ValueError: a look that is not among them.
    """
    if not 1 <= look <= looks:
        raise ValueError(f"look {look} of {looks}")
    spent = [(k / looks) ** _POWER for k in (look - 1, look)]
    return 1 - (1 - confidence) * (spent[1] - spent[0])
