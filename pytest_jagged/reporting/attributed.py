"""Perturbed runs as variants, for the attribution to transformations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_jagged.contracts.record import RunRecord, VariantSummary
from pytest_jagged.reporting.arms import Arms
from pytest_jagged.statistics.attribution import Attribution, PerturbedVariant, attribution

__all__ = ["attributed"]


def attributed(perturbed: Arms, confidence: float) -> Attribution | None:
    variants = []
    for instance_id, runs in perturbed.items():
        groups: dict[int, list[RunRecord]] = {}
        for run in runs:
            groups.setdefault(run.case.index, []).append(run)
        for group in groups.values():
            variant = group[0].variant
            if variant is not None:
                variants.append(_variant(instance_id, variant, group))
    return attribution(variants, confidence)


def _variant(
    instance_id: str, variant: VariantSummary, runs: Sequence[RunRecord]
) -> PerturbedVariant:
    costs = [run.cost_usd for run in runs if run.cost_usd]
    return PerturbedVariant(
        instance_id=instance_id,
        transformations=variant.transformations,
        applied=tuple(name for name, sites in variant.sites.items() if sites),
        runs=len(runs),
        resolved=sum(run.resolved for run in runs),
        mean_log_cost=math.fsum(map(math.log, costs)) / len(costs) if costs else None,
        lines_share=variant.lines_share,
        gold_lines_share=variant.gold_lines_share,
        stage=runs[0].case.stage,
    )
