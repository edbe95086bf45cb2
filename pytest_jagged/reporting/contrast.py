"""The estimates of a difference of two conditions: degradation, and effort by measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.report import Contrast
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.degradation import MeanDegradation, mean_degradation
from pytest_jagged.statistics.effort import RelativeChange, relative_change
from pytest_jagged.statistics.samples import Values, all_runs, resolved_runs

__all__ = ["contrast_of", "degradation_of", "effort_of", "wall_time_of"]


def _steps(arm: Arm) -> Sequence[float | None]:
    return arm.steps


def _cost(arm: Arm) -> Sequence[float | None]:
    return arm.cost_usd


def _cost_per_step(arm: Arm) -> Sequence[float | None]:
    return [
        cost / steps if cost is not None and steps else None
        for cost, steps in zip(arm.cost_usd, arm.steps, strict=False)
    ]


def _wall(arm: Arm) -> Sequence[float | None]:
    return arm.wall_s


_ALWAYS: Mapping[str, Values] = {"steps": _steps, "cost": _cost}
_IF_KNOWN: Mapping[str, Values] = {
    "tokens_input": lambda arm: arm.tokens_input,
    "tokens_output": lambda arm: arm.tokens_output,
    "tokens_cached": lambda arm: arm.tokens_cached,
    "cost_per_step": _cost_per_step,
}


def contrast_of(cells: Sequence[PairedInstance], statistics: StatisticsSettings) -> Contrast:
    """Degradation, steps and cost: what splits and the placebo are looked at for."""
    return Contrast(degradation_of(cells, statistics), _changes(_ALWAYS, cells, statistics))


def degradation_of(
    cells: Sequence[PairedInstance], statistics: StatisticsSettings
) -> MeanDegradation | None:
    if not cells:
        return None
    return mean_degradation(
        cells,
        confidence=statistics.confidence,
        resamples=statistics.resamples,
        seed=statistics.seed,
    )


def effort_of(
    cells: Sequence[PairedInstance], statistics: StatisticsSettings
) -> dict[str, RelativeChange]:
    """Steps and cost always, even if only to say that they are unknown; the rest where known."""
    known = {
        name: values
        for name, values in _IF_KNOWN.items()
        if any(_is_known(values, arm) for c in cells for arm in (c.baseline, c.perturbed))
    }
    return _changes({**_ALWAYS, **known}, cells, statistics)


def wall_time_of(
    cells: Sequence[PairedInstance], statistics: StatisticsSettings
) -> dict[str, RelativeChange]:
    return _changes({"wall_time": _wall}, cells, statistics)


def _is_known(values: Callable[[Arm], Sequence[float | None]], arm: Arm) -> bool:
    return any(value is not None for value in values(arm))


def _changes(
    measures: Mapping[str, Values],
    cells: Sequence[PairedInstance],
    statistics: StatisticsSettings,
) -> dict[str, RelativeChange]:
    """Each measure over all runs, then over the resolved runs of both conditions."""
    found = {}
    for name, values in measures.items():
        for key, chosen in ((name, all_runs(values)), (f"{name}_resolved", resolved_runs(values))):
            found[key] = relative_change(
                cells,
                chosen,
                confidence=statistics.confidence,
                resamples=statistics.resamples,
                seed=statistics.seed,
            )
    return found
