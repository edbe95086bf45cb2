"""The agent that knows the answer but must find where it goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.instance import FileEdit
from pytest_jagged.unified_diff import FileDiff, Hunk, read_diff

__all__ = ["GoldPatchAgent"]


class GoldPatchAgent:
    """Each gold hunk is one exact search-and-replace edit, as edit tools of agents work.

    The text searched for is the hunk's old side with its three context lines; it must occur exactly
    once, else the hunk is skipped. Baselines are all solved; a perturbed run is lost where a
    rewrite broke the text that is searched for: real degradation without a model. Steps are hunks
    tried; cost is unknown.
    """

    name = "gold-patch"
    needs_gold_patch = True
    uses_model = False

    def probe(self) -> str:
        return "1"

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": self.probe()}

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        events: list[dict[str, Any]] = []
        for file in read_diff(job.gold_patch):
            events += _edit_file(file, environment)
        applied = sum(event["applied"] for event in events)
        return AgentResult(
            Exit.SUBMITTED,
            steps=len(events),
            detail=f"{applied} of {len(events)} hunks found their place",
            trajectory={"format": "gold-patch", "edits": events},
        )


def _edit_file(file: FileDiff, environment: Environment) -> list[dict[str, Any]]:
    if file.new is None and file.old is not None:
        environment.write([FileEdit(file.old, None)])
        return [{"path": file.old, "kind": "delete", "applied": True}]
    assert file.new is not None
    if file.old is None:
        content = "".join(hunk.after for hunk in file.hunks)
        environment.write([FileEdit(file.new, _encode(content))])
        return [{"path": file.new, "kind": "write", "applied": True}]
    data = environment.read(file.old)
    text = None if data is None else data.decode("utf-8", "surrogateescape")
    if not file.hunks:
        return _rename(file.old, file.new, data, environment)
    events = []
    for hunk in file.hunks:
        replaced = None if text is None else _replace_once(text, hunk)
        events.append({"path": file.new, "kind": "replace", "applied": replaced is not None})
        text = text if replaced is None else replaced
    if text is not None and any(event["applied"] for event in events):
        environment.write([FileEdit(file.new, _encode(text))])
        if file.new != file.old:
            environment.write([FileEdit(file.old, None)])
    return events


def _rename(
    old: str, new: str, data: bytes | None, environment: Environment
) -> list[dict[str, Any]]:
    if data is not None:
        environment.write([FileEdit(new, data), FileEdit(old, None)])
    return [{"path": new, "kind": "rename", "applied": data is not None}]


def _replace_once(text: str, hunk: Hunk) -> str | None:
    """None unless the old side begins a line and occurs once; nothing is found in an empty file."""
    if not hunk.before:
        return None if text else hunk.after
    found = [i for i in _occurrences(text, hunk.before) if i == 0 or text[i - 1] == "\n"]
    if len(found) != 1:
        return None
    start = found[0]
    return text[:start] + hunk.after + text[start + len(hunk.before) :]


def _occurrences(text: str, part: str) -> list[int]:
    found = []
    start = text.find(part) if part else -1
    while start >= 0:
        found.append(start)
        start = text.find(part, start + 1)
    return found


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
