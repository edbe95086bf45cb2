"""`jagged prepare`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jagged.contracts.variant import Certificate
    from pytest_jagged.execution.study import Study

HELP = "fetch and build all that a study needs, then draw and certify its variants"

__all__ = ["HELP", "add_arguments", "run"]

_COLUMNS = ("certified", "replaced", "unchanged", "no gold file", "gold solves", "lines")
_ROW = "{:<28} {:>9} {:>8} {:>9} {:>12} {:>11} {:>6}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=Path, metavar="STUDY", help="the study file")
    parser.add_argument(
        "--reports",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="where the study's folder is (default: reports)",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the result there")


def run(options: argparse.Namespace) -> int:
    """Exit 1 when an index has no certified draw."""
    from pytest_jagged.config import load_study
    from pytest_jagged.execution.study import Study
    from pytest_jagged.records import session_lock

    study = Study.open(load_study(options.study), options.reports)
    with session_lock(study.root):
        study.prepare(_progress)
        certificates = list(_certify(study))
    _print_table(study.instance_ids, certificates)
    if options.json is not None:
        _write(options.json, certificates)
    return 0 if all(certificate.certified for certificate in certificates) else 1


def _certify(study: Study) -> Iterator[Certificate]:
    from pytest_jagged.contracts.case import ConditionKind

    perturbed = [case for case in study.cases if case.condition.kind is ConditionKind.PERTURBED]
    wanted = list(dict.fromkeys((case.instance_id, case.index) for case in perturbed))
    for number, (instance_id, index) in enumerate(wanted, 1):
        start = time.monotonic()
        certificate = study.variant(instance_id, index).certificate
        seconds = time.monotonic() - start
        _progress(
            f"[{number}/{len(wanted)}] {instance_id} v{index:02d}: {_words(certificate)}"
            f" ({seconds:.1f} s)"
        )
        yield certificate


def _words(certificate: Certificate) -> str:
    if not certificate.certified:
        return f"no certified draw: {certificate.rejected[-1].reason}"
    replaced = len(certificate.rejected)
    return "certified" if not replaced else f"certified after {replaced} replaced draws"


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print_table(instance_ids: Sequence[str], certificates: Sequence[Certificate]) -> None:
    print(_ROW.format("instance", *_COLUMNS))
    for instance_id in instance_ids:
        own = [c for c in certificates if c.instance_id == instance_id]
        print(_ROW.format(instance_id, *_cells(own)))
    for certificate in certificates:
        for draw in certificate.rejected:
            print(
                f"    {certificate.instance_id} v{certificate.index:02d}, draw {draw.draw}"
                f" ({', '.join(draw.transformations)}): {draw.reason}"
            )


def _cells(own: Sequence[Certificate]) -> tuple[str, ...]:
    good = [certificate for certificate in own if certificate.certified]
    solved = sum(certificate.gold_solves.value == "yes" for certificate in good)
    changed = sum(certificate.lines_changed for certificate in good)
    total = sum(certificate.lines_total for certificate in good)
    return (
        f"{len(good)}/{len(own)}",
        str(sum(len(certificate.rejected) for certificate in own)),
        str(sum(certificate.unchanged for certificate in good)),
        str(sum(certificate.gold_unchanged for certificate in good)),
        f"{solved}/{len(good)}",
        f"{100 * changed / total:.1f}%" if total else "-",
    )


def _write(path: Path, certificates: Sequence[Certificate]) -> None:
    from pytest_jagged.records.atomic import write_json
    from pytest_jagged.sampling.codec import certificate_to_json

    values = [certificate_to_json(certificate) for certificate in certificates]
    write_json(path, {"schema_version": 1, "certificates": values})
