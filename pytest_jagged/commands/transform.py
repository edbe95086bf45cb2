"""`jagged transform`."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jagged.contracts.transformation import TransformResult

HELP = "apply one transformation to one file and print the result, or what differs"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a Python file; - reads standard input")
    parser.add_argument(
        "--spt", required=True, metavar="NAME", help="the transformation, as in if_else_switcher"
    )
    parser.add_argument(
        "--fraction",
        type=float,
        default=1.0,
        metavar="F",
        help="the share of the sites that is drawn, above 0 and at most 1 (default: 1)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="what the draw depends on (default: 0)"
    )
    parser.add_argument(
        "--target", metavar="WORD", help="the keyword or method name that some of them insert"
    )
    parser.add_argument("--diff", action="store_true", help="print a unified diff, not the file")


def run(options: argparse.Namespace) -> int:
    """Exit 0 whether or not there was a site.

    Raises:
        ConfigError: a file that cannot be read, an unknown transformation, or a fraction or target
            that it cannot be done with.
        TransformError: the file is not Python, or its encoding lacks the target.
    """
    source = _read(options.file)
    _check(options)
    path = None if options.file == "-" else Path(options.file).as_posix()
    result = _transform(source, path, options)
    assert isinstance(result.source, bytes)
    if options.diff:
        _write(_difference(path or "-", source, result.source))
    else:
        _write(result.source)
    print(_account(options.spt, result), file=sys.stderr)
    return 0


def _transform(source: bytes, path: str | None, options: argparse.Namespace) -> TransformResult:
    from pytest_jagged.errors import TransformError
    from pytest_jagged.transforms import transform_source

    try:
        return transform_source(
            source,
            options.spt,
            seed=options.seed,
            fraction=options.fraction,
            target=options.target,
            path=path,
        )
    except TransformError as error:
        raise TransformError(f"{options.file}: {error}") from None


def _check(options: argparse.Namespace) -> None:
    """What is wrong with the options whatever the file is: usage, not a finding."""
    from pytest_jagged.errors import ConfigError, TransformError
    from pytest_jagged.transforms import transform_source
    from pytest_jagged.transforms.registry import find_transformation

    try:
        transformation = find_transformation(options.spt)
        if transformation.keyword_bound and options.target is None:
            raise ConfigError(f"--spt {options.spt}: give it a --target to insert")
        if not transformation.keyword_bound and options.target is not None:
            raise ConfigError(f"--target: {options.spt} inserts no target")
        transform_source(
            _PROBE, options.spt, seed=0, fraction=options.fraction, target=options.target
        )
    except TransformError as error:
        raise ConfigError(str(error)) from None


# Has a site for every transformation that looks at its target.
_PROBE = "class Probe:\n    size = 1\n\n    def get(self):\n        return 1\n"


def _read(name: str) -> bytes:
    """Raises ConfigError if it cannot."""
    from pytest_jagged.errors import ConfigError

    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: {error.strerror or error}") from error


def _difference(path: str, before: bytes, after: bytes) -> bytes:
    """A diff that `git apply` and `patch -p1` take; line ends and encodings stay as they are."""
    if before == after:
        return b""
    name = os.fsencode(path.lstrip("/"))
    lines: list[bytes] = []
    for line in _unified(before, after, name):
        lines.append(line)
        if not line.endswith(b"\n"):
            lines.append(b"\n\\ No newline at end of file\n")
    return b"".join(lines)


def _unified(before: bytes, after: bytes, name: bytes) -> list[bytes]:
    import difflib

    found = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(after), b"a/" + name, b"b/" + name
    )
    return list(found)


def _lines(source: bytes) -> list[bytes]:
    """Lines as diffs count them: a lone carriage return ends none."""
    parts = source.split(b"\n")
    return [*(part + b"\n" for part in parts[:-1]), *filter(None, parts[-1:])]


def _account(spt: str, result: TransformResult) -> str:
    """`if_else_switcher: 3 of 4 sites applied; skipped: 2 comment inside, 1 …`."""
    text = f"{spt}: {len(result.sites)} of {result.candidates} sites applied"
    reasons = Counter(skipped.reason for skipped in result.skipped)
    if reasons:
        ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        text += "; skipped: " + ", ".join(f"{count} {reason}" for reason, count in ranked)
    return text


def _write(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # `| head` has seen enough; nor may the exit complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
