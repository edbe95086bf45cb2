"""`jagged plan`."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_jagged.errors import ConfigError

if TYPE_CHECKING:
    from pytest_jagged.contracts.settings import StudySettings
    from pytest_jagged.execution.study import Study
    from pytest_jagged.reporting.planning import Figure, StudyPlan

HELP = "what a study will cost and what it can see; starts no agent"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=Path, metavar="STUDY", help="the study file")
    parser.add_argument("--reports", type=Path, default=Path("reports"), metavar="DIR")
    parser.add_argument(
        "--like",
        type=Path,
        metavar="DIR",
        help="take cost, time and noise from the runs stored there",
    )
    parser.add_argument("--usd-per-run", type=_amount, metavar="USD")
    parser.add_argument("--seconds-per-run", type=_amount, metavar="S")
    parser.add_argument(
        "--tokens",
        type=_amount,
        nargs=2,
        metavar=("IN", "OUT"),
        help="thousands of tokens a run, priced by the study's model.prices",
    )
    parser.add_argument(
        "--degradation", type=_amount, metavar="PP", help="also the runs needed to find this"
    )
    parser.add_argument("--power", type=_share, default=0.8, help="default: 0.8")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the plan there")


def run(options: argparse.Namespace) -> int:
    from pytest_jagged.config import load_study
    from pytest_jagged.execution.study import Study
    from pytest_jagged.records.atomic import write_json
    from pytest_jagged.reporting.planning import render_plan

    plan = _plan(Study.open(load_study(options.study), options.reports), options)
    print("\n".join(render_plan(plan, shutil.get_terminal_size().columns)))
    if options.json is not None:
        write_json(options.json, plan.to_json())
    return 0


def _plan(study: Study, options: argparse.Namespace) -> StudyPlan:
    from pytest_jagged.contracts.case import ConditionKind
    from pytest_jagged.contracts.settings import GateMetric
    from pytest_jagged.execution.forecast import forecast
    from pytest_jagged.plan import plan_cases
    from pytest_jagged.records import open_store
    from pytest_jagged.reporting.planning import Figure, StudyPlan, Wanted, measured_figures
    from pytest_jagged.staging import stage_count
    from pytest_jagged.statistics.looks import look_confidence

    source = options.like or study.root
    if options.like is not None and not (source / "runs").is_dir():
        raise ConfigError(f"--like {source}: holds no runs; name a folder that a study wrote")
    cost, seconds, noise = measured_figures(open_store(source).records())
    settings = study.settings
    cases = plan_cases(settings, study.instance_ids)
    expected = forecast(study, cases)
    perturbed = {c for c in cases if c.condition.kind is ConditionKind.PERTURBED}
    stages = stage_count(settings)
    if options.seconds_per_run is not None:
        seconds = Figure(options.seconds_per_run, "as stated")
    wanted = None if options.degradation is None else options.degradation / 100
    return StudyPlan(
        name=study.name,
        instances=len(study.instance_ids),
        conditions=len(settings.conditions),
        runs=settings.runs,
        items=len(cases),
        certificates=len({(c.instance_id, c.index) for c in perturbed}),
        to_do=expected.planned - expected.reused,
        concurrency=settings.session.concurrency,
        cap_usd=settings.session.budget_usd,
        cost_usd=_stated_cost(settings, options) or cost,
        seconds=seconds,
        noise=noise,
        margins=tuple(
            (gate.margin_pp or 0.0) / 100
            for gate in settings.gates
            if gate.metric is GateMetric.MEAN_DEGRADATION
        ),
        confidence=look_confidence(stages, stages, settings.statistics.confidence),
        stages=stages,
        wanted=Wanted(wanted, options.power),
    )


def _stated_cost(settings: StudySettings, options: argparse.Namespace) -> Figure | None:
    from pytest_jagged.reporting.planning import Figure, cost_of_tokens

    if options.usd_per_run is not None:
        return Figure(options.usd_per_run, "as stated")
    if options.tokens is None:
        return None
    prices = None if settings.model is None else settings.model.prices
    if prices is None:
        raise ConfigError(
            f"{settings.source}: --tokens needs model.prices; add {{input: , output: }} in USD per"
            " million tokens"
        )
    return Figure(cost_of_tokens(prices, *options.tokens), "from prices and stated tokens")


def _amount(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no amount")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value
