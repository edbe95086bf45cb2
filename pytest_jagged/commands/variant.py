"""`jagged variant`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jagged.contracts.instance import Instance
    from pytest_jagged.contracts.variant import Certificate, Variant

HELP = "show one variant of a study: what was changed, the difference, or the whole tree"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=Path, metavar="STUDY", help="the study file")
    parser.add_argument("instance", metavar="INSTANCE", help="the instance's id")
    parser.add_argument("index", type=_index, metavar="INDEX", help="v03 as in item names, or 3")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--diff", action="store_true", help="print a patch from seed to variant")
    form.add_argument("--into", type=Path, metavar="DIR", help="write the variant's tree there")
    parser.add_argument(
        "--reports",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="where the study's folder is (default: reports)",
    )


def _index(text: str) -> int:
    match = re.fullmatch(r"v?0*([1-9]\d*)(?:k\d+)?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no variant; write v03 or 3")
    return int(match[1])


def run(options: argparse.Namespace) -> int:
    """Exit 1 when the index has no certified draw."""
    from pytest_jagged.config import load_study
    from pytest_jagged.errors import ConfigError
    from pytest_jagged.execution.study import Study
    from pytest_jagged.yaml_file import nearest

    study = Study.open(load_study(options.study), options.reports)
    if options.instance not in study.instance_ids:
        hint = nearest(options.instance, study.instance_ids)
        raise ConfigError(f"{options.study}: no instance {options.instance!r}{hint}")
    certified = study.variant(options.instance, options.index)
    if certified.variant is None:
        _print_rejected(certified.certificate)
        return 1
    instance = study.instance(options.instance)
    if options.diff:
        _print_difference(instance, certified.variant)
    elif options.into is not None:
        _write_tree(instance, certified.variant, options.into)
    else:
        _describe(certified.certificate, certified.variant)
    return 0


def _print_rejected(certificate: Certificate) -> None:
    print(f"{certificate.instance_id} v{certificate.index:02d}: no certified draw", file=sys.stderr)
    for draw in certificate.rejected:
        names = ", ".join(draw.transformations)
        print(f"    draw {draw.draw} ({names}): {draw.reason}", file=sys.stderr)


def _print_difference(instance: Instance, variant: Variant) -> None:
    from pytest_jagged.sampling.difference import unified_difference

    try:
        sys.stdout.buffer.write(unified_difference(instance, variant))
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # `| head` has seen enough; nor may the exit complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _describe(certificate: Certificate, variant: Variant) -> None:
    print(f"{variant.instance_id} v{variant.index:02d}  key {certificate.key[:8]}")
    print(
        f"draw {variant.draw}, {certificate.tests_compared} tests as on the seed,"
        f" gold solves: {certificate.gold_solves.value},"
        f" {certificate.lines_changed} of {certificate.lines_total} lines changed"
        f" ({certificate.gold_lines_changed} of {certificate.gold_lines_total} in gold files)"
    )
    probabilities = zip(variant.transformations, variant.file_probabilities, strict=True)
    for name, probability in probabilities:
        print(f"  {name}  (file probability {probability:.2f})")
    sites = Counter((site.path, site.transformation, site.status.value) for site in variant.sites)
    for (path, name, status), count in sorted(sites.items()):
        print(f"  {path}: {name}: {count} sites {status}")
    for skipped in variant.skipped:
        where = f"{skipped.path}: " if skipped.path else ""
        print(f"  {where}{skipped.transformation}: nothing done: {skipped.reason}")
    if variant.unchanged:
        print("  no file differs from the seed")


def _write_tree(instance: Instance, variant: Variant, folder: Path) -> None:
    """Raises ConfigError if *folder* is there already or cannot be written."""
    from pytest_jagged.environments.tree import copy_tree
    from pytest_jagged.errors import ConfigError

    if folder.exists() or folder.is_symlink():
        raise ConfigError(f"--into {folder}: exists; name a folder that does not")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        copy_tree(instance.seed, folder)
        for edit in variant.edits:
            (folder / edit.path).write_bytes(edit.content or b"")
    except OSError as error:
        raise ConfigError(f"--into {folder}: {error.strerror or error}") from error
    print(f"{len(variant.edits)} files differ from the seed in {folder}")
