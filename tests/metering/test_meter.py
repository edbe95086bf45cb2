"""What is counted, passed on and refused, with a real HTTP service behind the meter."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.agent import AgentLimits
from pytest_jagged.contracts.exit import Exit
from pytest_jagged.contracts.metering import PLACEHOLDER_KEY, Fault
from pytest_jagged.contracts.tokens import Tokens
from pytest_jagged.metering import MeteredModel, ModelService
from tests.agents.scripted_model import Bash, Say, Usage
from tests.agents.scripted_model import Fault as Trouble
from tests.metering.client import PATHS, Reply, ask, question
from tests.metering.conftest import KEY, OpenMeter

FORMATS = tuple(PATHS)
USAGE = Usage(input=1000, output=100, cache_read=800, cache_write=0, reasoning=40)
# 200 fresh at $10, 800 read at $1, 100 out at $50 a million
COST = (200 * 10 + 800 * 1 + 100 * 50) / 1e6


def limits(**given: Any) -> AgentLimits:
    return AgentLimits(**{"steps": None, "cost_usd": None, "tokens": None, **given}, **TIMES)


TIMES: dict[str, Any] = {"wall_s": 30, "command_s": 30, "idle_s": None}


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("format_", FORMATS)
def test_each_format_is_counted_and_priced(
    metered: OpenMeter, tmp_path: Path, format_: str, streams: bool
) -> None:
    meter, _ = metered(Say("Done.", usage=USAGE))
    reply = ask(meter.access, format_, question(format_, stream=streams, temperature=0.25))
    assert reply.status == 200
    assert b"Done." in reply.data
    reading = meter.reading()
    assert (reading.requests, reading.answered) == (1, 1)
    assert reading.tokens == Tokens(input=1000, output=100, cache_read=800)
    assert reading.cost_usd == pytest.approx(COST)
    # Anthropic's format does not tell reasoning from other output.
    assert reading.reasoning == (0 if format_ == "messages" else 40)
    (line,) = (tmp_path / "requests.jsonl").read_text().splitlines()
    entry = json.loads(line)
    assert entry["request"]["temperature"] == 0.25
    assert entry["tokens"]["input"] == 1000
    assert "What now?" not in line


def test_tokens_written_to_the_cache_are_input_too(metered: OpenMeter) -> None:
    usage = Usage(input=1000, output=0, cache_read=800, cache_write=100)
    meter, _ = metered(Say("Done.", usage=usage))
    ask(meter.access, "messages")
    reading = meter.reading()
    assert reading.tokens == Tokens(input=1000, output=0, cache_read=800, cache_write=100)
    assert reading.cost_usd == pytest.approx((100 * 10 + 800 * 1 + 100 * 12.5) / 1e6)


@pytest.mark.parametrize("format_", FORMATS)
def test_the_key_is_put_in_on_the_way_and_kept_nowhere(
    metered: OpenMeter, tmp_path: Path, format_: str
) -> None:
    refused = Trouble(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")
    meter, model = metered(Say("Done.", faults=(refused,)))
    first, second = ask(meter.access, format_), ask(meter.access, format_)
    assert (first.status, second.status) == (401, 200)
    assert {request.key for request in model.requests} == {KEY}
    assert PLACEHOLDER_KEY not in str(model.requests[0].headers)
    log = (tmp_path / "requests.jsonl").read_text()
    assert "[SCRIPTED_KEY]" in log
    assert KEY not in log


def test_anthropic_itself_is_given_no_second_key(metered: OpenMeter) -> None:
    meter, model = metered(Say("Done."), provider="anthropic")
    assert ask(meter.access, "messages").status == 200
    headers = {name.lower() for name in model.requests[0].headers}
    assert {"x-api-key", "anthropic-version"} <= headers
    assert "authorization" not in headers


def test_a_stream_is_passed_on_as_it_comes(metered: OpenMeter) -> None:
    gate = threading.Event()
    meter, _ = metered(Bash("ls", gate=gate))
    url = f"{meter.access.openai_url(meter.access.host)}/chat/completions"
    request = urllib.request.Request(url, json.dumps(question("chat", stream=True)).encode())
    with urllib.request.urlopen(request, timeout=10) as response:
        first = response.readline()
        assert b"chat.completion.chunk" in first
        assert meter.reading().answered == 0
        gate.set()
        rest = response.read()
    assert rest.endswith(b"data: [DONE]\n\n")
    # The usage that the client did not ask for is counted and kept from it.
    assert b"prompt_tokens" not in rest
    assert meter.reading().tokens.input == 1000


def test_usage_that_is_asked_for_is_passed_on(metered: OpenMeter) -> None:
    meter, _ = metered(Say("Done."))
    options = {"include_usage": True}
    reply = ask(meter.access, "chat", question("chat", stream=True, stream_options=options))
    assert b"prompt_tokens" in reply.data


@pytest.mark.parametrize(
    ("given", "exit_"),
    [
        ({"steps": 2}, Exit.STEP_LIMIT),
        ({"cost_usd": 2 * COST}, Exit.COST_LIMIT),
        ({"tokens": 2200}, Exit.COST_LIMIT),
    ],
)
def test_limits_are_hard(metered: OpenMeter, given: dict[str, Any], exit_: Exit) -> None:
    meter, model = metered(Say("On.", usage=USAGE), limits=limits(**given))
    statuses = [ask(meter.access, "chat").status for _ in range(4)]
    assert statuses == [200, 200, 403, 403]
    assert len(model.requests) == 2
    reading = meter.reading()
    assert (reading.limit, reading.answered, reading.refused) == (exit_, 2, 2)


def test_requests_at_once_cannot_pass_the_limit_of_steps(metered: OpenMeter) -> None:
    meter, model = metered(Say("On.", wait_s=0.2), limits=limits(steps=3))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: ask(meter.access, "chat"), range(8)))
    assert sorted(reply.status for reply in replies) == [200] * 3 + [403] * 5
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    ("trouble", "fault"),
    [
        (Trouble(401, "invalid_api_key", "no"), Fault.AUTH),
        (Trouble(404, "model_not_found", "no"), Fault.AUTH),
        (Trouble(429, "rate_limit_exceeded", "slow down"), Fault.RATE_LIMIT),
        (Trouble(429, "insufficient_quota", "You exceeded your current quota"), Fault.QUOTA),
        (Trouble(402, "payment_required", "pay"), Fault.QUOTA),
        (Trouble(400, "invalid_request_error", "Your credit balance is too low"), Fault.QUOTA),
        (Trouble(500), Fault.PROVIDER),
        (Trouble(529, "overloaded_error", "Overloaded"), Fault.PROVIDER),
        (Trouble(400, "context_length_exceeded", "too long"), Fault.CONTEXT_WINDOW),
        (Trouble(400, "invalid_request_error", "prompt is too long: 9 > 8"), Fault.CONTEXT_WINDOW),
        (Trouble(400, "invalid_request_error", "no such parameter"), Fault.REQUEST),
    ],
)
def test_errors_are_passed_on_and_told_apart(
    metered: OpenMeter, trouble: Trouble, fault: Fault
) -> None:
    meter, _ = metered(Say("Done.", faults=(trouble,)))
    reply = ask(meter.access, "chat")
    assert (reply.status, reply.json["error"]["message"]) == (trouble.status, trouble.message)
    assert meter.reading().last_fault is fault
    assert trouble.message in meter.reading().detail
    ask(meter.access, "chat")  # an answer after it: the trouble is over
    reading = meter.reading()
    assert (reading.last_fault, reading.failed, reading.answered) == (None, 1, 1)


def test_how_long_to_wait_is_passed_on(metered: OpenMeter) -> None:
    trouble = Trouble(429, "rate_limit_exceeded", headers={"Retry-After": "7"})
    meter, _ = metered(Say("Done.", faults=(trouble,)))
    headers = {name.lower(): value for name, value in ask(meter.access, "chat").headers.items()}
    assert headers["retry-after"] == "7"
    assert meter.reading().retry_after_s == 7.0


@pytest.mark.parametrize("format_", FORMATS)
def test_an_answer_that_breaks_off_does_so_for_the_agent(metered: OpenMeter, format_: str) -> None:
    meter, _ = metered(Bash("ls", faults=(Trouble(cut=True), Trouble(cut=True))))
    streamed = ask(meter.access, format_, question(format_, stream=True))
    whole = ask(meter.access, format_)
    assert (streamed.status, streamed.broke_off) == (200, True)
    assert whole.status == 502
    reading = meter.reading()
    assert (reading.failed, reading.uncounted, reading.answered) == (2, 2, 0)
    assert reading.last_fault is Fault.PROVIDER


def test_a_whole_answer_without_usage_leaves_the_cost_unknown(metered: OpenMeter) -> None:
    meter, _ = metered(Say("Done.", usage=None))
    ask(meter.access, "chat")
    reading = meter.reading()
    assert (reading.answered, reading.silent, reading.cost_usd) == (1, 1, None)


def test_without_a_price_the_cost_is_unknown_and_steps_are_limited(metered: OpenMeter) -> None:
    meter, _ = metered(Say("Done."), prices=None, limits=limits(steps=1, cost_usd=0.01))
    assert [ask(meter.access, "chat").status for _ in range(2)] == [200, 403]
    reading = meter.reading()
    assert (reading.cost_usd, reading.tokens.input) == (None, 1000)


def test_a_service_that_is_not_there(tmp_path: Path) -> None:
    service = ModelService("openai", "m", "http://127.0.0.1:9/v1", None)
    with MeteredModel(service, None).open(limits(), tmp_path) as meter:
        assert ask(meter.access, "chat").status == 502
    assert meter.reading().last_fault is Fault.PROVIDER


def test_only_the_model_under_test_is_asked(metered: OpenMeter) -> None:
    meter, model = metered(Say("Done."))
    assert ask(meter.access, "chat", question("chat") | {"model": "openai/m"}).status == 200
    assert model.requests[0].body["model"] == "m"
    other = ask(meter.access, "chat", question("chat") | {"model": "gpt-4o-mini"})
    assert other.status == 400
    assert "'gpt-4o-mini' is not the one under test (m)" in other.json["error"]["message"]
    assert (len(model.requests), meter.reading().refused) == (1, 1)


def get(url: str) -> Reply:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return Reply(response.status, {}, response.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, {}, error.read())


def test_nothing_is_served_beside_the_run_and_its_formats(metered: OpenMeter) -> None:
    meter, model = metered(Say("Done."))
    access = meter.access
    assert get(f"{access.host}/v1/models").status == 404
    assert get(f"{access.openai_url(access.host)}/models").json["data"][0]["id"] == "scripted"
    assert get(f"{access.openai_url(access.host)}/embeddings").status == 404
    assert model.requests == []
