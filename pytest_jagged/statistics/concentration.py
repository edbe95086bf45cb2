"""Whether a mean degradation is that of many instances or of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jagged.contracts.interval import Interval
from pytest_jagged.statistics.cells import PairedInstance

__all__ = ["Concentration", "concentration"]


@dataclass(frozen=True, slots=True)
class Concentration:
    """Shares of the mean (1 is all of it; more, as others pull back); None when the mean is zero.

    `leave_one_out` is the range of the mean when any one instance is left out.
    """

    top: str
    top_share: float | None
    top_three_share: float | None
    leave_one_out: Interval


def concentration(cells: Sequence[PairedInstance]) -> Concentration | None:
    """None below two instances."""
    if len(cells) < 2:
        return None
    total = math.fsum(cell.degradation for cell in cells)
    sign = -1 if total < 0 else 1
    ordered = sorted(cells, key=lambda cell: (-sign * cell.degradation, cell.id))
    shares = [cell.degradation / total for cell in ordered[:3]] if abs(total) > 1e-12 else None
    means = [(total - cell.degradation) / (len(cells) - 1) for cell in cells]
    return Concentration(
        top=ordered[0].id,
        top_share=None if shares is None else shares[0],
        top_three_share=None if shares is None else math.fsum(shares),
        leave_one_out=Interval(min(means), max(means)),
    )
