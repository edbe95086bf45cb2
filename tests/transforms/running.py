"""Run many programs in one subprocess, each in a namespace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

__all__ = ["outputs"]

_SCRIPT = """
import contextlib, io, json, sys, warnings
results = {}
for name, source in json.load(sys.stdin).items():
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<program>", "exec"), {"__name__": "__main__"})
        except BaseException as error:
            print("ends with", type(error).__name__, error)
    results[name] = out.getvalue()
json.dump(results, sys.stdout)
"""


def outputs(programs: Mapping[str, str]) -> dict[str, str]:
    """What each program prints, and the exception it ends with if there is one."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _SCRIPT],
        input=json.dumps(programs),
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    result: dict[str, str] = json.loads(done.stdout)
    return result
