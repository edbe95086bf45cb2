"""How much of a repository a variant changes, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.sampling.tree import SeedTree

__all__ = ["Dose", "dose_of"]


@dataclass(frozen=True, slots=True)
class Dose:
    """Of `total` lines that the variant's files have, `changed` are not the seed's."""

    changed: int
    total: int


def dose_of(seed: SeedTree, paths: Sequence[str], edits: Sequence[FileEdit]) -> Dose:
    """The dose over the files *paths*."""
    edited = {edit.path: edit.content or b"" for edit in edits}
    changed = total = 0
    for path in paths:
        before = seed.read(path)
        after = edited.get(path, before)
        total += len(after.splitlines())
        if after != before:
            changed += _changed_lines(before.splitlines(), after.splitlines())
    return Dose(changed, total)


def _changed_lines(before: list[bytes], after: list[bytes]) -> int:
    """Lines of *after* that a line-wise difference to *before* adds or replaces."""
    first = _shared_prefix(before, after)
    before, after = before[first:], after[first:]
    last = _shared_prefix(before[::-1], after[::-1])
    before, after = before[: len(before) - last], after[: len(after) - last]
    matcher = SequenceMatcher(None, before, after)
    return len(after) - sum(block.size for block in matcher.get_matching_blocks())


def _shared_prefix(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
