"""Perturbed runs by what their variants changed, each kind against the same baseline.

Which kind a variant is was drawn at random, so that the baseline of the same instances is the right
partner of each kind. Instances whose fix no transformation can reach are given apart from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pytest_jagged.contracts.record import RunRecord, VariantSummary
from pytest_jagged.contracts.settings import StatisticsSettings
from pytest_jagged.reporting.arms import Arms, pair
from pytest_jagged.reporting.contrast import contrast_of
from pytest_jagged.reporting.report import Split

__all__ = ["splits_of"]

_CHANGES = ("changed gold files", "changed other files only", "changed nothing")
_LANGUAGES = ("fix in Python files", "fix in no Python file")


def splits_of(
    baseline: Arms,
    perturbed: Arms,
    statistics: StatisticsSettings,
    not_python: Collection[str] = (),
) -> tuple[Split, ...]:
    """By what was changed, by the language of the fix if there are some of *not_python*, then by
    whether the gold patch solves the variant; empty kinds left out.

    Estimates are given only where a split really divides the runs.
    """
    runs = [run for arm in perturbed.values() for run in arm if run.variant is not None]
    by_change = _group(runs, lambda run: _change(run.variant), _CHANGES)
    by_language = _by_language(runs, not_python)
    answers = sorted({str(run.variant.gold_solves) for run in runs if run.variant})
    names = tuple(f"gold solves: {answer}" for answer in answers)
    by_gold = _group(runs, lambda run: _gold_solves(run.variant), names)
    splits = []
    for groups in (by_change, by_language, by_gold):
        for name, group in groups.items():
            contrast = None
            if len(groups) > 1:
                cells, _ = pair(baseline, _by_instance(group))
                contrast = contrast_of(cells, statistics)
            splits.append(Split(name, len(group), sum(r.resolved for r in group), contrast))
    return tuple(splits)


def _by_language(
    runs: Sequence[RunRecord], not_python: Collection[str]
) -> dict[str, list[RunRecord]]:
    if not not_python:
        return {}
    return _group(runs, lambda run: _LANGUAGES[run.case.instance_id in not_python], _LANGUAGES)


def _change(variant: VariantSummary | None) -> str:
    assert variant is not None  # of runs with a variant only
    return _CHANGES[2 if variant.unchanged else int(variant.gold_unchanged)]


def _gold_solves(variant: VariantSummary | None) -> str:
    assert variant is not None  # likewise
    return f"gold solves: {variant.gold_solves}"


def _group(
    runs: Sequence[RunRecord], name: Callable[[RunRecord], str], order: Sequence[str]
) -> dict[str, list[RunRecord]]:
    groups: dict[str, list[RunRecord]] = {}
    for run in runs:
        groups.setdefault(name(run), []).append(run)
    return {word: groups[word] for word in order if word in groups}


def _by_instance(runs: Sequence[RunRecord]) -> Arms:
    groups: dict[str, list[RunRecord]] = {}
    for run in runs:
        groups.setdefault(run.case.instance_id, []).append(run)
    return {instance: tuple(groups[instance]) for instance in sorted(groups)}
