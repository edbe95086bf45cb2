"""Perturbed runs by what their variants changed, each kind against the same baseline.

Which kind a variant is was drawn at random, so that the baseline of the same instances is the right
partner of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_jagged.contracts.record import RunRecord, VariantSummary
from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.arms import Arms, pair
from pytest_jagged.reporting.contrast import contrast_of
from pytest_jagged.reporting.report import Split

__all__ = ["splits_of"]

_CHANGES = ("changed gold files", "changed other files only", "changed nothing")


def splits_of(baseline: Arms, perturbed: Arms, statistics: StatisticsSettings) -> tuple[Split, ...]:
    """By what was changed, then by whether the gold patch solves the variant; empty kinds left out.

    Estimates are given only where a split really divides the runs.
    """
    runs = [run for arm in perturbed.values() for run in arm if run.variant is not None]
    by_change = _group(runs, _change, _CHANGES)
    answers = sorted({str(run.variant.gold_solves) for run in runs if run.variant})
    names = tuple(f"gold solves: {answer}" for answer in answers)
    by_gold = _group(runs, lambda v: f"gold solves: {v.gold_solves}", names)
    splits = []
    for groups in (by_change, by_gold):
        for name, group in groups.items():
            contrast = None
            if len(groups) > 1:
                cells, _ = pair(baseline, _by_instance(group))
                contrast = contrast_of(cells, statistics)
            splits.append(Split(name, len(group), sum(r.resolved for r in group), contrast))
    return tuple(splits)


def _change(variant: VariantSummary) -> str:
    return _CHANGES[2 if variant.unchanged else int(variant.gold_unchanged)]


def _group(
    runs: Sequence[RunRecord], name: Callable[[VariantSummary], str], order: Sequence[str]
) -> dict[str, list[RunRecord]]:
    groups: dict[str, list[RunRecord]] = {}
    for run in runs:
        if run.variant is not None:
            groups.setdefault(name(run.variant), []).append(run)
    return {word: groups[word] for word in order if word in groups}


def _by_instance(runs: Sequence[RunRecord]) -> Arms:
    groups: dict[str, list[RunRecord]] = {}
    for run in runs:
        groups.setdefault(run.case.instance_id, []).append(run)
    return {instance: tuple(groups[instance]) for instance in sorted(groups)}
