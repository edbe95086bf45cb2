"""The rarer parts of a report's JSON: each is null where the records do not tell."""

from __future__ import annotations

from typing import Any

from pytest_jagged.contracts.interval import Estimand, Interval
from pytest_jagged.statistics.attribution import Attribution, Effect
from pytest_jagged.statistics.concentration import Concentration
from pytest_jagged.statistics.consistency import Consistency, WorstCase
from pytest_jagged.statistics.variance import VarianceSplit

__all__ = [
    "attribution_to_json",
    "concentration_to_json",
    "consistency_to_json",
    "variance_to_json",
]


def concentration_to_json(found: Concentration | None) -> dict[str, Any] | None:
    if found is None:
        return None
    value: dict[str, Any] = {
        "top_instance": found.top,
        "top_share": found.top_share,
        "top_three_share": found.top_three_share,
        "leave_one_out_pp": _pair(found.leave_one_out),
    }
    if found.top_share is None:
        value["reason"] = "the mean is zero"
    return value


def consistency_to_json(found: Consistency | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "pass_at_k": _by_k(found.pass_at),
        "pass_hat_k": _by_k(found.pass_hat),
        "worst_case": None if found.worst_case is None else _worst_case(found.worst_case),
    }


def _by_k(table: Any) -> dict[str, dict[str, float]]:
    return {str(k): {"baseline": b, "perturbed": p} for k, (b, p) in table.items()}


def _worst_case(found: WorstCase) -> dict[str, Any]:
    """`floor` is the same figure from reruns of the baseline; `excess` goes beyond it."""
    value: dict[str, Any] = {
        "variants": found.variants,
        "nominal": found.nominal,
        "rp": {
            "value": found.rp,
            "floor": found.rp_floor,
            "excess_interval": _bare(found.rp_excess),
        },
        "rd": {"value": found.rd, "floor": found.rd_floor},
        "rr": {
            "value": found.rr,
            "floor": found.rr_floor,
            "excess_interval": _bare(found.rr_excess),
        },
        "estimand": Estimand.NEW_INSTANCES.value,
        "instances": found.instances,
    }
    if found.rd is None:
        value["rd"]["reason"] = "nothing is resolved nominally"
    return value


def variance_to_json(found: VarianceSplit | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "instance": found.instance,
        "variant": found.variant,
        "agent": found.agent,
        "variant_plus_agent": found.variant + found.agent,
        "mu_times_one_minus_mu": found.identity,
        "instances": found.instances,
        "variants": found.variants,
    }


def attribution_to_json(found: Attribution | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "contrast": "drawn rather than another, within instances",
        "transformations": [
            {
                "name": effect.name,
                "drawn": effect.drawn,
                "applied": effect.applied,
                "lift": _effect(effect.lift),
                "log_cost": _effect(effect.log_cost),
            }
            for effect in found.transformations
        ],
        "combinations": [
            {"transformations": list(c.names), "runs": c.runs, "resolved": c.resolved}
            for c in found.combinations
        ],
        "dose": {name: _effect(effect) for name, effect in found.dose.items()},
    }


def _effect(effect: Effect | None) -> dict[str, Any] | None:
    if effect is None:
        return None
    return {
        "value": effect.value,
        "interval": _bare(effect.interval),
        "p": effect.p,
        "holm_p": effect.holm_p,
        "benjamini_hochberg_p": effect.fdr_p,
        "instances": effect.instances,
    }


def _pair(interval: Interval) -> list[float]:
    return [100 * interval.low, 100 * interval.high]


def _bare(interval: Interval) -> list[float]:
    return [interval.low, interval.high]
