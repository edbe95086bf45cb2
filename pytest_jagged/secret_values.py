"""Host variables that a command is given, and their removal from all that is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from urllib.parse import quote

__all__ = ["remove_secrets", "secret_values"]

_SHORTEST = 4  # shorter values occur by chance everywhere


def secret_values(names: Sequence[str]) -> dict[str, str]:
    """The named variables that are set on the host."""
    return {name: os.environ[name] for name in names if name in os.environ}


def remove_secrets(data: bytes, names: Sequence[str]) -> bytes:
    """*data* with `[NAME]` for each value, also as JSON and URLs spell it; longest first."""
    spellings = {
        form: name
        for name, value in secret_values(names).items()
        if len(value) >= _SHORTEST
        for form in (
            os.fsencode(value),
            json.dumps(value)[1:-1].encode(),
            json.dumps(value)[1:-1].replace("/", "\\/").encode(),
            quote(os.fsencode(value), safe="").encode(),
        )
    }
    for form in sorted(spellings, key=lambda form: (-len(form), form)):
        data = data.replace(form, f"[{spellings[form]}]".encode())
    return data
