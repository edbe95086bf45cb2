"""A step as the answer of one of the three formats, whole or as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.agents.scripted_model.conversation import Conversation
from tests.agents.scripted_model.scenario import (
    Bash,
    Call,
    Chance,
    Malformed,
    Say,
    Scenario,
    Step,
    Submit,
    Usage,
    draw,
)

__all__ = ["Answer", "choose_answer", "events", "whole"]

_FINISH = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


@dataclass(frozen=True)
class Answer:
    """A text, and a tool call by name and raw arguments; `id` is unique."""

    id: str
    model: str
    text: str
    call: tuple[str, str] | None
    finish: str
    usage: Usage | None


def choose_answer(scenario: Scenario, conversation: Conversation, id_: str, run: str) -> Answer:
    step = scenario.step(conversation.turn)
    text, command = f"THOUGHT: turn {conversation.turn} of {run}.", None
    call: tuple[str, str] | None = None
    tool = conversation.tool
    if isinstance(step, Bash):
        command = step.command
    elif isinstance(step, Chance):
        command = draw(step, conversation.text, run)
    elif isinstance(step, Submit) and len(conversation.tools) <= 1:
        command = scenario.submission
    elif isinstance(step, Say):
        text = f"{step.text} ({run})"
    elif isinstance(step, Call):
        call = (step.name, json.dumps(step.arguments))
    elif isinstance(step, Malformed) and tool is not None:
        call = (tool.name, '{"command": ')
    if command is not None and tool is not None:
        value: Any = ["bash", "-c", command] if tool.takes_list else command
        call = (tool.name, json.dumps({tool.argument: value, **_beside(tool.name)}))
    elif command is not None:
        text += f"\n\n```bash\n{command}\n```"
    return Answer(
        id_, str(conversation.body.get("model")), text, call, _finish(step, call), step.usage
    )


def _beside(tool: str) -> dict[str, str]:
    """Some shells want to be told what a command is for."""
    return {"description": "a scripted command"} if tool.lower() == "bash" else {}


def _finish(step: Step, call: object) -> str:
    return "tool_calls" if call and step.finish == "stop" else step.finish


def whole(format_: str, answer: Answer) -> dict[str, Any]:
    if format_ == "chat":
        return _chat(answer)
    return _messages(answer) if format_ == "messages" else _responses(answer)


def events(format_: str, answer: Answer, *, wants_usage: bool) -> Iterator[bytes]:
    if format_ == "chat":
        yield from _chat_events(answer, wants_usage)
    elif format_ == "messages":
        yield from _message_events(answer)
    else:
        yield from _response_events(answer)


# -- OpenAI chat completions -----------------------------------------------------------------------


def _chat(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.call is not None:
        message["tool_calls"] = [_chat_call(answer, *answer.call)]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    value = {**_chat_head(answer, "chat.completion"), "choices": [choice]}
    return value if answer.usage is None else {**value, "usage": _chat_usage(answer.usage)}


def _chat_head(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": answer.id, "object": kind, "created": 1_700_000_000, "model": answer.model}


def _chat_call(answer: Answer, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{answer.id}", "type": "function", "function": function}


def _chat_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _chat_events(answer: Answer, wants_usage: bool) -> Iterator[bytes]:
    head = _chat_head(answer, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({**head, "choices": [choice]})

    yield chunk({"role": "assistant", "content": answer.text})
    if answer.call is not None:
        name, arguments = answer.call
        half = len(arguments) // 2
        first = {"index": 0, **_chat_call(answer, name, arguments[:half])}
        yield chunk({"tool_calls": [first]})
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": arguments[half:]}}]})
    yield chunk({}, answer.finish)
    if wants_usage and answer.usage is not None:
        yield _data({**head, "choices": [], "usage": _chat_usage(answer.usage)})
    yield b"data: [DONE]\n\n"


# -- Anthropic messages ----------------------------------------------------------------------------


def _message_usage(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {
        "input_tokens": usage.input - usage.cache_read - usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "output_tokens": usage.output,
    }


def _message_blocks(answer: Answer) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}]
    if answer.call is not None:
        name, arguments = answer.call
        try:
            value = json.loads(arguments)
        except ValueError:
            value = {}
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{answer.id}", "name": name, "input": value}
        )
    return blocks


def _messages(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": _message_blocks(answer),
        "stop_reason": _FINISH[answer.finish],
        "stop_sequence": None,
        "usage": _message_usage(answer.usage),
    }


def _message_events(answer: Answer) -> Iterator[bytes]:
    start = {**_messages(answer), "content": [], "stop_reason": None}
    start["usage"] = {**start["usage"], "output_tokens": 1} if start["usage"] else {}
    yield _event({"type": "message_start", "message": start})
    for index, block in enumerate(_message_blocks(answer)):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield _event({"type": "content_block_start", "index": index, "content_block": empty})
        for delta in _message_deltas(answer, is_text):
            yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": _FINISH[answer.finish], "stop_sequence": None}
    usage = {} if answer.usage is None else {"output_tokens": answer.usage.output}
    yield _event({"type": "message_delta", "delta": delta, "usage": usage})
    yield _event({"type": "message_stop"})


def _message_deltas(answer: Answer, is_text: bool) -> Iterator[dict[str, Any]]:
    if is_text:
        yield {"type": "text_delta", "text": answer.text}
        return
    assert answer.call is not None
    arguments = answer.call[1]
    half = len(arguments) // 2
    for part in (arguments[:half], arguments[half:]):
        yield {"type": "input_json_delta", "partial_json": part}


# -- OpenAI responses ------------------------------------------------------------------------------


def _response_items(answer: Answer) -> list[dict[str, Any]]:
    content = [{"type": "output_text", "text": answer.text, "annotations": []}]
    message = {
        "type": "message",
        "id": f"m_{answer.id}",
        "role": "assistant",
        "status": "completed",
    }
    items: list[dict[str, Any]] = [{**message, "content": content}]
    if answer.call is not None:
        name, arguments = answer.call
        call = {"type": "function_call", "id": f"fc_{answer.id}", "call_id": f"call_{answer.id}"}
        items = [{**call, "name": name, "arguments": arguments, "status": "completed"}]
    return items


def _responses(answer: Answer) -> dict[str, Any]:
    value = {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "model": answer.model,
        "output": _response_items(answer),
    }
    if answer.usage is None:
        return value
    usage = answer.usage
    return {
        **value,
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.input + usage.output,
        },
    }


def _response_events(answer: Answer) -> Iterator[bytes]:
    done = _responses(answer)
    begun = {**done, "status": "in_progress", "output": [], "usage": None}
    yield _event({"type": "response.created", "response": begun})
    for index, item in enumerate(_response_items(answer)):
        yield _event({"type": "response.output_item.added", "output_index": index, "item": item})
        yield _event({"type": "response.output_item.done", "output_index": index, "item": item})
    yield _event({"type": "response.completed", "response": done})


def _data(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + _data(value)
