"""Whether rewritten files compile for the Python that will run them."""

from __future__ import annotations

import ast
import base64
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence

from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["compile_fault"]

_TIMEOUT_S = 600

# Reads {path: base64}, prints {path: message} of what does not compile. Runs under any Python 3.
_SCRIPT = """
import base64, json, sys, warnings
warnings.simplefilter("ignore")
faults = {}
for path, data in json.load(sys.stdin).items():
    try:
        compile(base64.b64decode(data), path, "exec", 0, True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        faults[path] = "%s: %s" % (type(error).__name__, error)
json.dump(faults, sys.stdout)
"""


def compile_fault(instance: Instance, edits: Sequence[FileEdit]) -> str | None:
    """The first of *edits* that does not compile for the instance's interpreter, and why.

    Another Python than ours is asked itself where it is on this machine; where it is in an image,
    our own parser reads the files as that version (its tests run the rest of the proof).

    Raises:
        EnvironmentFailure: the instance's interpreter cannot be run.
    """
    contents = {e.path: e.content for e in edits if e.content is not None and _is_python(e.path)}
    if not contents:
        return None
    if instance.python_version == sys.version_info[:2]:
        faults = {path: _own_fault(path, data) for path, data in contents.items()}
    elif os.access(instance.interpreter, os.X_OK):
        faults = {**dict.fromkeys(contents), **_foreign_faults(instance.interpreter, contents)}
    else:
        version = instance.python_version
        faults = {path: _parse_fault(data, version) for path, data in contents.items()}
    found = sorted((path, fault) for path, fault in faults.items() if fault is not None)
    return f"{found[0][0]} does not compile: {found[0][1]}" if found else None


def _is_python(path: str) -> bool:
    return path.endswith(".py")


def _own_fault(path: str, data: bytes) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, path, "exec", 0, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _parse_fault(data: bytes, version: tuple[int, int]) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data, feature_version=version)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _foreign_faults(interpreter: str, contents: dict[str, bytes]) -> dict[str, str]:
    request = {path: base64.b64encode(data).decode("ascii") for path, data in contents.items()}
    try:
        done = subprocess.run(
            [interpreter, "-I", "-B", "-c", _SCRIPT],
            input=json.dumps(request).encode("ascii"),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
        faults: dict[str, str] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise EnvironmentFailure(f"{interpreter}: cannot compile files: {error}") from error
    return faults
