"""Report files: report.json and summary.csv, whole or not at all."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from pytest_jagged.records.atomic import write_bytes, write_json
from pytest_jagged.reporting.json_form import report_to_json
from pytest_jagged.reporting.report import Report

__all__ = ["write_report"]

_COLUMNS = (
    "scaffold",
    "model",
    "benchmark",
    "instance_id",
    "baseline_n",
    "baseline_resolved",
    "perturbed_n",
    "perturbed_resolved",
    "degradation_pp",
    "interval_low_pp",
    "interval_high_pp",
    "baseline_steps_mean",
    "perturbed_steps_mean",
    "baseline_cost_mean",
    "perturbed_cost_mean",
)


def write_report(report: Report, directory: Path, *, subset: bool) -> list[Path]:
    """`report.json` only for the whole plan; a selection gets files of its own.

    Raises:
        StoreError: the folder cannot be written.
    """
    suffix = "-subset" if subset else ""
    target, table = directory / f"report{suffix}.json", directory / f"summary{suffix}.csv"
    write_json(target, report_to_json(report))
    write_bytes(table, _summary(report).encode("utf-8"))
    return [target, table]


def _summary(report: Report) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for configuration in report.configurations:
        for row in configuration.instances:
            low, high = (
                (None, None)
                if row.interval is None
                else (100 * row.interval.low, 100 * row.interval.high)
            )
            writer.writerow(
                [
                    configuration.scaffold,
                    configuration.model or "",
                    configuration.benchmark,
                    row.id,
                    row.baseline.runs,
                    row.baseline.resolved,
                    row.perturbed.runs,
                    row.perturbed.resolved,
                    None if row.degradation is None else 100 * row.degradation,
                    low,
                    high,
                    row.baseline.steps_mean,
                    row.perturbed.steps_mean,
                    row.baseline.cost_mean_usd,
                    row.perturbed.cost_mean_usd,
                ]
            )
    return stream.getvalue()
