"""What spending runs in stages wins: variance of the mean degradation against equal runs of the
same cost, and its bias, for the true rates of each configuration in a table of counts.

    python benchmarks/staged_runs.py COUNTS.csv [--studies 400] [--clip 0.03]

COUNTS.csv has the columns that `jagged counts` reads, with `scaffold`, `model` and `benchmark`.
`--clip` moves rates away from 0 and 1, where instances look settled and are not.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pytest_jagged.contracts.settings import SessionSettings, StudySettings
from pytest_jagged.staging import Allotment, allot, first_allotment, stage_count

SETTINGS = StudySettings(instances=(), runs=20, session=SessionSettings(staged=True))
Rates = dict[tuple[str, str], float]  # by (instance, condition)


def configurations(path: Path, clip: float) -> dict[str, Rates]:
    found: dict[str, Rates] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            name = " · ".join(row[column] for column in ("scaffold", "model", "benchmark"))
            for condition in SETTINGS.conditions:
                rate = int(row[f"{condition}_resolved"]) / int(row[f"{condition}_n"])
                rate = min(max(rate, clip), 1 - clip)
                found.setdefault(name, {})[row["instance_id"], condition] = rate
    return found


def one_study(rates: Rates, ids: Sequence[str], rng: np.random.Generator) -> tuple[float, int]:
    """Estimated mean degradation, and runs spent."""
    runs, resolved = dict.fromkeys(rates, 0), dict.fromkeys(rates, 0)
    estimates = dict.fromkeys(rates, 0.0)
    allotment: Allotment = first_allotment(SETTINGS, ids)
    stages = stage_count(SETTINGS)
    for stage in range(1, stages + 1):
        for arm, count in allotment.items():
            solved = int(rng.binomial(count, rates[arm]))
            runs[arm] += count
            resolved[arm] += solved
            estimates[arm] += solved / count / stages
        if stage < stages:
            counts = {arm: (runs[arm], resolved[arm]) for arm in rates}
            allotment = allot(SETTINGS, ids, stage + 1, counts)
    return mean_degradation(estimates, ids), sum(runs.values())


def mean_degradation(rates: Rates, ids: Sequence[str]) -> float:
    return float(np.mean([rates[i, "baseline"] - rates[i, "perturbed"] for i in ids]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--clip", type=float, default=0.0)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    for name, rates in configurations(options.counts, options.clip).items():
        ids = list(dict.fromkeys(instance for instance, _ in rates))
        found = [one_study(rates, ids, rng) for _ in range(options.studies)]
        means, spent = np.array([mean for mean, _ in found]), np.mean([runs for _, runs in found])
        equal = sum(p * (1 - p) for p in rates.values()) / len(ids) ** 2  # times 1 / runs an arm
        ratio = means.var() / (equal * len(rates) / spent)
        bias = 100 * (means.mean() - mean_degradation(rates, ids))
        error = 100 * means.std() / options.studies**0.5
        used = spent / (len(rates) * SETTINGS.runs)
        print(
            f"{name}: variance {ratio:.2f} of equal runs at the same cost, {used:.0%} of the runs"
            f" spent, bias {bias:+.2f} pp (± {error:.2f})"
        )


if __name__ == "__main__":
    main()
