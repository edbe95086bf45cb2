"""A variant as a patch that `git apply` takes."""

from __future__ import annotations

import re
from difflib import diff_bytes, unified_diff

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.variant import Variant

__all__ = ["unified_difference"]

# Lines as patches know them: only a line feed ends one.
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def unified_difference(instance: Instance, variant: Variant) -> bytes:
    """The difference from the instance's seed, in the bytes of the files."""
    return b"".join(
        _file_difference(edit.path, (instance.seed / edit.path).read_bytes(), edit.content or b"")
        for edit in variant.edits
    )


def _file_difference(path: str, before: bytes, after: bytes) -> bytes:
    name = path.encode("utf-8")
    lines = diff_bytes(
        unified_diff,
        _LINE.findall(before),
        _LINE.findall(after),
        b"a/" + name,
        b"b/" + name,
    )
    header = b"diff --git a/" + name + b" b/" + name + b"\n"
    return header + b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
        for line in lines
    )
