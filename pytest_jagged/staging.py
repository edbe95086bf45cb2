"""Staged studies: how many runs each stage gives to each instance and condition; pure.

The first stage gives all the same. From then on, instances that ended alike in every condition are
*settled* and get the least, and what they leave goes to the others by their spread. The least is
never nothing: an instance that were stopped for good when its first runs agree would keep those
runs as its estimate, biased by up to the chance of such an accident times its degradation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import StudySettings

__all__ = [
    "Allotment",
    "Counts",
    "allot",
    "first_allotment",
    "measured_counts",
    "stage_count",
    "stage_sizes",
    "stages_from_plain",
    "stages_to_plain",
]

# (instance id, condition name) → runs
Allotment = Mapping[tuple[str, str], int]
Counts = Mapping[tuple[str, str], tuple[int, int]]  # → (measured runs, resolved)

_MOST_STAGES = 4
# Shares of a stage's nominal size. With less than 2/5 a settled instance that is not at 0 or 1
# after all costs more variance than the saved runs win elsewhere.
_LEAST = 0.4
_MOST = 3


def stage_sizes(settings: StudySettings) -> tuple[int, ...]:
    """Nominal runs of an instance and condition in each stage: four stages, or as many as leave two
    variants to each. One stage where `runs` is too small for two.
    """
    repeats = settings.sampler.runs_per_variant
    units = settings.runs // repeats
    stages = max(1, min(_MOST_STAGES, units // 2))
    return tuple(
        repeats * (units // stages + (number < units % stages)) for number in range(stages)
    )


def stage_count(settings: StudySettings) -> int:
    """Stages of the study; one where it is not staged."""
    return len(stage_sizes(settings)) if settings.session.staged else 1


def first_allotment(settings: StudySettings, instance_ids: Iterable[str]) -> Allotment:
    size = stage_sizes(settings)[0]
    return {(i, condition): size for i in instance_ids for condition in settings.conditions}


def allot(
    settings: StudySettings,
    instance_ids: Sequence[str],
    stage: int,
    counts: Counts,
) -> Allotment:
    """The runs of *stage* (2 and up), from the counts of all earlier ones."""
    repeats, size = settings.sampler.runs_per_variant, stage_sizes(settings)[stage - 1]
    least = repeats * math.ceil(_LEAST * size / repeats)
    arms = {i: [(i, condition) for condition in settings.conditions] for i in instance_ids}
    spread = {
        arm: _spread(*counts[arm])
        for own in arms.values()
        if not _is_settled(own, counts)
        for arm in own
    }
    every = [arm for own in arms.values() for arm in own]
    free = size * len(every) - least * (len(every) - len(spread))
    wanted = _shares(spread, free // repeats, _MOST * size // repeats, least // repeats)
    return {arm: repeats * wanted[arm] if arm in wanted else least for arm in every}


def stages_to_plain(stages: Sequence[Allotment]) -> list[list[tuple[str, str, int]]]:
    """For another process."""
    return [[(*arm, runs) for arm, runs in stage.items()] for stage in stages]


def stages_from_plain(value: Iterable[Iterable[tuple[str, str, int]]]) -> tuple[Allotment, ...]:
    return tuple({(instance, condition): n for instance, condition, n in stage} for stage in value)


def measured_counts(records: Iterable[RunRecord]) -> Counts:
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for record in records:
        if record.outcome.is_measured:
            arm = (record.case.instance_id, record.condition.name)
            runs, resolved = found.get(arm, (0, 0))
            found[arm] = (runs + 1, resolved + record.resolved)
    return found


def _is_settled(arms: Sequence[tuple[str, str]], counts: Counts) -> bool:
    """All runs of each condition ended alike; also where a condition has none and never counts."""
    seen = [counts.get(arm, (0, 0)) for arm in arms]
    return any(runs == 0 for runs, _ in seen) or all(done in (0, n) for n, done in seen)


def _spread(runs: int, resolved: int) -> float:
    """Standard deviation of a run, the rate smoothed as for Jeffreys' prior."""
    rate = (resolved + 0.5) / (runs + 1)
    return math.sqrt(rate * (1 - rate))


def _shares(
    spread: Mapping[tuple[str, str], float], total: int, most: int, least: int
) -> dict[tuple[str, str], int]:
    """*total* units in proportion to *spread* (Neyman 1934), whole, each within least..most."""
    whole = math.fsum(spread.values())
    exact = {arm: total * value / whole for arm, value in spread.items()}
    given = {arm: min(most, max(least, math.floor(value))) for arm, value in exact.items()}
    # Largest remainders first; the order of the study breaks ties.
    for arm in sorted(spread, key=lambda arm: given[arm] - exact[arm]):
        if sum(given.values()) >= total:
            break
        if given[arm] < most:
            given[arm] += 1
    return given
