"""Placebo, labelled conditions, splits: every table is cut the same way everywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_jagged.contracts.agent import Tokens
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.contracts.settings import FailWhen, GateMetric, GateSettings
from pytest_jagged.reporting.build import build_report
from pytest_jagged.reporting.json_form import report_to_json
from pytest_jagged.reporting.report import Report
from pytest_jagged.reporting.terminal import render
from pytest_jagged.statistics.gate import Verdict
from tests.reporting.builders import STATISTICS, STUDY, runs, variant


def report_of(records: list[RunRecord], *gates: GateSettings) -> Report:
    return build_report(STUDY, [r.case for r in records], records, STATISTICS, gates)


def text_of(report: Report, verbosity: int = 0) -> str:
    lines = render(report, verbosity=verbosity, width=80)
    assert max(map(len, lines)) <= 80
    return "\n".join(lines)


def test_a_clean_placebo() -> None:
    records = [
        *runs("a", "baseline", "rrru" * 5),
        *runs("a", "placebo", "rrru" * 5),
        *runs("a", "perturbed", "ruuu" * 5),
    ]
    report = report_of(records)
    placebo = report.configurations[0].placebo
    assert placebo is not None
    assert placebo.against_baseline.degradation is not None
    assert placebo.perturbed_against.degradation is not None
    assert placebo.against_baseline.degradation.mean == 0
    assert placebo.perturbed_against.degradation.mean == pytest.approx(0.5)
    assert not any("placebo" in warning for warning in report.warnings)
    assert "placebo against baseline: degradation 0.0 pp" in text_of(report)
    value = report_to_json(report)["configurations"][0]["placebo"]
    assert value["perturbed_against"]["degradation"]["mean_pp"] == pytest.approx(50)


def test_a_placebo_that_differs_is_a_warning() -> None:
    """As the paper's unmutated instances did: a shift that no rewrite can have made."""
    records = [
        *runs("a", "baseline", "r" * 20),
        *runs("a", "placebo", "ru" * 10),
        *runs("a", "perturbed", "ru" * 10),
    ]
    (warning,) = (w for w in report_of(records).warnings if "placebo" in w)
    assert "differs from baseline by 50.0 pp" in warning
    assert "nothing was changed" in warning


def kinds(outcomes: str, unchanged: bool, gold_unchanged: bool, first: int) -> list[RunRecord]:
    made = runs("a", "perturbed", "-" * first + outcomes)
    flags = variant(unchanged=unchanged, gold_unchanged=gold_unchanged)
    return [replace(r, variant=flags) for r in made]


def test_every_table_is_split_by_what_was_changed() -> None:
    records = [
        *runs("a", "baseline", "r" * 9),
        *kinds("uuuu", False, False, 0),
        *kinds("ruu", False, True, 4),
        *kinds("rr", True, True, 7),
    ]
    report = report_of(records)
    splits = {split.name: split for split in report.configurations[0].splits}
    found = {
        name: (s.runs, s.resolved, s.contrast.degradation.mean)
        for name, s in splits.items()
        if s.contrast is not None and s.contrast.degradation is not None
    }
    assert found["changed gold files"] == (4, 0, 1.0)
    assert found["changed other files only"][:2] == (3, 1)
    assert found["changed nothing"] == (2, 2, 0.0)
    assert splits["changed nothing"].contrast is not None
    assert splits["changed nothing"].contrast.effort["steps"].mean == 0
    text = text_of(report)
    assert "changed gold files" in text
    assert "gold solves" not in text
    assert "gold solves" in text_of(report, verbosity=1)


def test_labelled_conditions_are_reported_apart_and_gated_apart() -> None:
    records = [
        *runs("a", "baseline", "r" * 20),
        *[replace(r, variant=variant()) for r in runs("a", "perturbed.typos", "u" * 20)],
        *[replace(r, variant=variant()) for r in runs("a", "perturbed.calm", "r" * 20)],
    ]
    gate = GateSettings(GateMetric.MEAN_DEGRADATION, margin_pp=20)
    report = report_of(records, gate)
    assert [c.condition for c in report.configurations] == ["perturbed.typos", "perturbed.calm"]
    means = [c.degradation.mean for c in report.configurations if c.degradation is not None]
    assert means == [1.0, 0.0]
    assert [(g.name, g.verdict) for g in report.gates] == [
        ("mean_degradation.perturbed.typos", Verdict.DEGRADED),
        ("mean_degradation.perturbed.calm", Verdict.ROBUST),
    ]
    assert report.planned == 60


def test_effort_of_all_kinds() -> None:
    def priced(records: list[RunRecord], factor: int) -> list[RunRecord]:
        return [
            replace(
                r,
                tokens=Tokens(1000 * factor + n, 10 * factor + n, 500),
                cost_usd=0.1 * factor + 0.001 * n,
            )
            for n, r in enumerate(records)
        ]

    records = [
        *priced(runs("a", "baseline", "rrrr", steps=10), 1),
        *priced(runs("a", "perturbed", "rrru", steps=20), 3),
    ]
    configuration = report_of(records).configurations[0]
    effort = configuration.effort
    assert set(effort) == {
        f"{name}{end}"
        for name in (
            *("steps", "cost", "tokens_input", "tokens_output", "tokens_cached"),
            "cost_per_step",
        )
        for end in ("", "_resolved")
    }
    assert effort["steps"].mean == pytest.approx(1.0)
    assert effort["tokens_cached"].mean == 0
    assert effort["cost_per_step"].mean == pytest.approx(0.5, abs=0.03)
    assert effort["cost"].ratio is not None
    assert effort["cost"].ratio.change == pytest.approx(2.0, abs=0.05)
    assert set(configuration.timing) == {"wall_time", "wall_time_resolved"}
    value = report_to_json(report_of(records))["configurations"][0]
    assert "wall_time" not in value["effort"]
    assert value["timing"]["wall_time"]["mean_pct"] == 0
    assert "tokens input" in text_of(report_of(records))


def gate_on(metric: GateMetric, margin: float, records: list[RunRecord]) -> tuple[Verdict, str]:
    (gate,) = report_of(records, GateSettings(metric, margin_pp=margin)).gates
    return gate.verdict, gate.message


def test_the_resolve_rate_has_a_floor() -> None:
    records = [*runs("a", "baseline", "r" * 20), *runs("a", "perturbed", "rrru" * 5)]
    verdict, message = gate_on(GateMetric.RESOLVE_RATE, 40, records)
    assert verdict is Verdict.ROBUST
    assert message.startswith("75.0 %, 95% CI [")
    assert "lies at or above the floor 40 % (1 instance, 20+20 runs each)" in message
    assert gate_on(GateMetric.RESOLVE_RATE, 75, records)[0] is Verdict.INCONCLUSIVE
    assert gate_on(GateMetric.RESOLVE_RATE, 95, records)[0] is Verdict.DEGRADED


def test_one_bad_instance_among_many() -> None:
    """The mean hides it, the gate on instances does not; more instances make it more careful."""
    bad = [*runs("bad", "baseline", "r" * 20), *runs("bad", "perturbed", "rruuu" * 4)]
    good = [
        record
        for number in range(9)
        for record in (
            *runs(f"i{number}", "baseline", "r" * 20),
            *runs(f"i{number}", "perturbed", "r" * 20),
        )
    ]
    verdict, message = gate_on(GateMetric.INSTANCE_DEGRADATION, 10, [*bad, *good])
    assert verdict is Verdict.DEGRADED
    assert message.startswith("1 of 10 instances above the margin 10 pp: bad 60.0 pp [")
    assert "Holm p = " in message
    verdict, message = gate_on(GateMetric.INSTANCE_DEGRADATION, 10, good)
    assert verdict is Verdict.INCONCLUSIVE
    assert "nor all below" in message
    assert gate_on(GateMetric.INSTANCE_DEGRADATION, 25, good)[0] is Verdict.ROBUST


def test_too_few_runs_conclude_nothing() -> None:
    records = [*runs("a", "baseline", "rr"), *runs("a", "perturbed", "uu")]
    gates = [
        GateSettings(m, margin_pp=5)
        for m in (GateMetric.MEAN_DEGRADATION, GateMetric.INSTANCE_DEGRADATION)
    ]
    for gate in report_of(records, *gates).gates:
        assert gate.verdict is Verdict.INCONCLUSIVE
        assert "fewer than 3 independent baseline runs" in gate.message
        assert not gate.failed
    strict = replace(gates[0], fail=FailWhen.NOT_SHOWN_ROBUST)
    assert report_of(records, strict).gates[0].failed


def test_repeated_variants() -> None:
    """Two runs a variant: variance is split, and the reader told what does not hold any more."""
    records = [*runs("a", "baseline", "rrrr"), *runs("b", "baseline", "rrrr")]
    for instance in "ab":
        for record in runs(instance, "perturbed", "rruu"):
            index, repeat = (record.case.ordinal + 1) // 2, 2 - record.case.ordinal % 2
            case = replace(record.case, index=index, repeat=repeat)
            key = replace(variant(), key=f"k{index}")
            records.append(replace(record, case=case, variant=key))
    report = report_of(records)
    split = report.configurations[0].variance
    assert split is not None
    assert (split.variant, split.agent) == (0.5, 0.0)
    assert any("runs of one variant are not independent" in note for note in report.notes)
    assert "variance of a perturbed run" in text_of(report, verbosity=1)
    row = report.configurations[0].instances[0]
    assert [(v.index, v.runs, v.resolved) for v in row.variants] == [(1, 2, 2), (2, 2, 0)]
