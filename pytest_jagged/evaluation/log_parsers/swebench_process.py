"""`python swebench_process.py [PARSER] < LOG`: swebench's map as JSON; with no name, all names."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    # Whatever its imports print must not get among the answer.
    with redirect_stdout(io.StringIO()):
        from swebench.harness.log_parsers import PARSER_REGISTRY
        from swebench.types import TestSpec

    if not arguments:
        answer = dict.fromkeys(PARSER_REGISTRY, "")
    else:
        log = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        specification = TestSpec("", "", [], "", "", [], [])
        answer = PARSER_REGISTRY[arguments[0]](log, specification)
    sys.stdout.write(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
