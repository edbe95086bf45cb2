"""Several studies side by side: the paper's Figures 1 to 4 as tables, and the ranks of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from pytest_jagged.errors import ConfigError
from pytest_jagged.reporting.stored_report import StoredConfiguration, StoredReport
from pytest_jagged.statistics.ranks import Ranked, kendall_tau, rank_models
from pytest_jagged.statistics.score import MeanRate, mean_rate

__all__ = ["Agreement", "Frontier", "FrontierRow", "Setting", "build_frontier"]

Setting = tuple[str, str]  # (scaffold, benchmark), the condition appended where it has a label


@dataclass(frozen=True, slots=True)
class FrontierRow:
    """One configuration; `rates` by condition are empty without runs in both conditions."""

    configuration: StoredConfiguration
    rates: Mapping[str, MeanRate]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kendall's tau-b of the degradations of the models that two settings share."""

    first: Setting
    second: Setting
    models: int
    tau: float | None


@dataclass(frozen=True, slots=True)
class Frontier:
    """Rows sorted by scaffold, benchmark and model; ranks and agreement by setting."""

    rows: tuple[FrontierRow, ...]
    ranks: Mapping[Setting, tuple[Ranked, ...]]
    agreements: tuple[Agreement, ...]


def build_frontier(reports: Sequence[tuple[Path, StoredReport]], *, seed: int = 0) -> Frontier:
    """Raises ConfigError when two reports hold the same configuration, or one is of a staged study,
    whose counts do not tell its rates.
    """
    found: dict[tuple[str, str, str, str], tuple[Path, StoredConfiguration]] = {}
    for path, report in reports:
        if "staged" in report.comparable:
            raise ConfigError(
                f"{path}: is of a staged study, whose counts do not tell its rates; leave it out"
            )
        for c in report.configurations:
            key = (c.scaffold, c.benchmark, c.condition, c.model)
            if key in found:
                name = " · ".join(part for part in key if part)
                raise ConfigError(
                    f"{path}: holds {name}, which {found[key][0]} holds already; name one of them"
                )
            found[key] = (path, c)
    rows = tuple(_row(found[key][1]) for key in sorted(found))
    settings: dict[Setting, list[StoredConfiguration]] = {}
    for row in rows:
        settings.setdefault(_setting(row.configuration), []).append(row.configuration)
    ranks = {setting: _ranks(group, seed) for setting, group in settings.items()}
    agreements = tuple(_agreement(a, b, ranks) for a, b in combinations(ranks, 2))
    return Frontier(rows, ranks, tuple(a for a in agreements if a.models > 1))


def _setting(configuration: StoredConfiguration) -> Setting:
    label = configuration.condition
    suffix = "" if label == "perturbed" else f" ({label})"
    return configuration.scaffold, configuration.benchmark + suffix


def _row(configuration: StoredConfiguration) -> FrontierRow:
    cells = configuration.cells
    arms = {"baseline": [c.baseline for c in cells], "perturbed": [c.perturbed for c in cells]}
    return FrontierRow(
        configuration,
        {name: mean_rate(sides, configuration.confidence) for name, sides in arms.items() if sides},
    )


def _ranks(group: Sequence[StoredConfiguration], seed: int) -> tuple[Ranked, ...]:
    models = {c.model or "no model": c.cells for c in group}
    return rank_models(models, confidence=group[0].confidence, seed=seed)


def _agreement(
    first: Setting, second: Setting, ranks: Mapping[Setting, tuple[Ranked, ...]]
) -> Agreement:
    one, other = ({r.model: r.mean for r in ranks[setting]} for setting in (first, second))
    common = sorted(one.keys() & other.keys())
    tau = kendall_tau([one[m] for m in common], [other[m] for m in common])
    return Agreement(first, second, len(common), tau)
