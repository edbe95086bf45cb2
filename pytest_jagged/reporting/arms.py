"""Measured runs as the cells that statistics work on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_jagged.contracts.case import ConditionKind
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.reporting.report import VariantCount
from pytest_jagged.statistics.cells import Arm, PairedInstance
from pytest_jagged.statistics.effort import Exclusion

__all__ = ["Arms", "arm_of", "arms_of", "first_stage", "pair", "variant_counts"]

Arms = Mapping[str, tuple[RunRecord, ...]]  # by instance id, sorted; runs in order


def arms_of(measured: Iterable[RunRecord], kind: ConditionKind, name: str | None = None) -> Arms:
    """The runs of a kind of condition (of one condition, where *name* is given), by instance."""
    groups: dict[str, list[RunRecord]] = {}
    for record in measured:
        condition = record.case.condition
        if condition.kind is kind and name in (None, condition.name):
            groups.setdefault(record.case.instance_id, []).append(record)
    return {
        instance: tuple(
            sorted(groups[instance], key=lambda r: (r.case.condition.name, r.case.ordinal))
        )
        for instance in sorted(groups)
    }


def arm_of(records: Sequence[RunRecord]) -> Arm:
    tokens = [record.tokens for record in records]
    return Arm(
        resolved=tuple(r.resolved for r in records),
        steps=tuple(r.steps for r in records),
        cost_usd=tuple(r.cost_usd for r in records),
        tokens_input=tuple(None if t is None else t.input for t in tokens),
        tokens_output=tuple(None if t is None else t.output for t in tokens),
        tokens_cached=tuple(None if t is None else t.cache_read for t in tokens),
        wall_s=tuple(r.timing.agent_s for r in records),
        variants=_variants(records),
        stages=tuple(r.case.stage for r in records if r.case.stage),
    )


def first_stage(arms: Arms) -> Arms:
    """The runs that were planned before any outcome was seen: all, in a study without stages."""
    kept = {
        instance: tuple(run for run in runs if run.case.stage <= 1)
        for instance, runs in arms.items()
    }
    return {instance: runs for instance, runs in kept.items() if runs}


def _variants(records: Sequence[RunRecord]) -> tuple[str, ...]:
    """Names of the variants run; empty for conditions that have none."""
    if not all(r.case.condition.kind is ConditionKind.PERTURBED for r in records):
        return ()
    return tuple(f"{r.case.condition.name}-{r.case.index}" for r in records)


def pair(
    first: Arms, second: Arms, words: tuple[str, str] = ("baseline", "perturbed")
) -> tuple[list[PairedInstance], tuple[Exclusion, ...]]:
    """Instances with measured runs in both, sorted by id; the others by name."""
    cells, excluded = [], []
    for instance in sorted(first.keys() | second.keys()):
        one, other = first.get(instance, ()), second.get(instance, ())
        if one and other:
            cells.append(PairedInstance(instance, arm_of(one), arm_of(other)))
        else:
            excluded.append(Exclusion(instance, f"no measured {words[bool(one)]} run"))
    return cells, tuple(excluded)


def variant_counts(records: Sequence[RunRecord]) -> tuple[VariantCount, ...]:
    groups: dict[tuple[int, str], list[RunRecord]] = {}
    for record in records:
        if record.variant is not None:
            groups.setdefault((record.case.index, record.variant.key), []).append(record)
    return tuple(
        VariantCount(index, key, len(runs), sum(run.resolved for run in runs))
        for (index, key), runs in sorted(groups.items())
    )
