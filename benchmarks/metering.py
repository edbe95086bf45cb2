"""What the metering proxy adds to a run: to begin and end it, and per request of its agent."""

from __future__ import annotations

import json
import statistics
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer

from pytest_jagged.contracts.agent import AgentLimits
from pytest_jagged.metering import MeteredModel, ModelService

RUNS, REQUESTS = 20, 100
LIMITS = AgentLimits(None, None, 3600, 60, None)
# A conversation of some length, and its answer.
QUESTION = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 100_000}]})
ANSWER = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": "y" * 2_000}}],
        "usage": {"prompt_tokens": 25_000, "completion_tokens": 500},
    }
).encode()


class _Service(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        return

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)


def median_ms(url: str) -> float:
    seconds = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        with urllib.request.urlopen(f"{url}/chat/completions", QUESTION.encode()) as answer:
            answer.read()
        seconds.append(time.perf_counter() - start)
    return 1000 * statistics.median(seconds)


def main() -> None:
    with ThreadingTCPServer(("127.0.0.1", 0), _Service) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}/v1"
        model = MeteredModel(ModelService("openai", "m", base, None), None)
        with tempfile.TemporaryDirectory() as folder:
            starts = []
            for _ in range(RUNS):
                start = time.perf_counter()
                with model.open(LIMITS, Path(folder)):
                    pass
                starts.append(time.perf_counter() - start)
            with model.open(LIMITS, Path(folder)) as meter:
                through = median_ms(meter.access.openai_url(meter.access.host))
        direct = median_ms(base)
        server.shutdown()
    print(f"begin and end of a run's proxy: {1000 * statistics.median(starts):.1f} ms")
    print(f"a request: {direct:.1f} ms directly, {through:.1f} ms through the proxy")


if __name__ == "__main__":
    main()
