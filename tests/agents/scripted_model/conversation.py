"""The three request formats as one: who asks, which turn it is, which tool can run a command."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Conversation", "Format", "Tool", "read_conversation"]

Format = str  # chat | responses | messages
_SHELLS = ("bash", "shell", "exec_command", "shell_command", "local_shell", "run_command")
_RUN = re.compile(r"run-[0-9a-f]{8}")


@dataclass(frozen=True)
class Tool:
    """A tool that runs a shell command, and the name of the argument that takes it."""

    name: str
    argument: str
    takes_list: bool


@dataclass(frozen=True)
class Conversation:
    """`run` is what an earlier answer called this run; None on its first turn."""

    format: Format
    body: dict[str, Any]
    turn: int
    tool: Tool | None
    tools: tuple[str, ...]
    text: str
    run: str | None

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))


def read_conversation(format_: Format, body: dict[str, Any]) -> Conversation:
    items = body.get("input" if format_ == "responses" else "messages") or []
    items = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    tools = [_declared(tool) for tool in body.get("tools") or []]
    text = json.dumps(items)
    found = _RUN.findall(text)
    return Conversation(
        format=format_,
        body=body,
        turn=sum(map(_is_turn, items)),
        tool=_shell(tools),
        tools=tuple(name for name, _ in tools),
        text=text,
        run=found[0] if found else None,
    )


def _is_turn(item: dict[str, Any]) -> bool:
    if item.get("type") == "function_call":
        return True
    return item.get("role") == "assistant"


def _declared(tool: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    inner = tool.get("function", tool)
    schema = inner.get("parameters") or inner.get("input_schema") or {}
    return str(inner.get("name", tool.get("type", ""))), schema


def _shell(tools: list[tuple[str, dict[str, Any]]]) -> Tool | None:
    for name, schema in tools:
        if name.lower() in _SHELLS:
            properties = schema.get("properties", {})
            argument = next((a for a in ("command", "cmd") if a in properties), "command")
            is_list = properties.get(argument, {}).get("type") == "array"
            return Tool(name, argument, is_list)
    return None
