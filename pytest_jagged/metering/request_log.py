"""One line per request: parameters, ending, tokens, time; no texts, no headers, no keys."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from pytest_jagged.secret_values import remove_secrets

__all__ = ["RequestLog"]


class RequestLog:
    """`secrets` names the variables whose values an error text could repeat."""

    def __init__(self, path: Path, secrets: tuple[str, ...]) -> None:
        self._path = path
        self._secrets = secrets
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since the run's first moment."""
        return time.monotonic() - self._start

    def clean(self, text: str) -> str:
        return remove_secrets(text.encode(), self._secrets).decode("utf-8", "replace")

    def write(self, began: float, **entry: Any) -> None:
        line = {"at_s": round(began, 3), "took_s": round(self.now() - began, 3), **entry}
        data = remove_secrets(json.dumps(line).encode(), self._secrets) + b"\n"
        with self._lock, self._path.open("ab") as file:
            file.write(data)
