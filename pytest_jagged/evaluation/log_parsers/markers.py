"""The part of a log that the suite wrote, between the marks that SWE-bench's scripts print."""

from __future__ import annotations

from pytest_jagged.contracts.log_marks import END_MARK, START_MARK
from pytest_jagged.evaluation.log_parsers.registry import LogParser
from pytest_jagged.evaluation.results import Collected

__all__ = ["read_log"]


def read_log(data: bytes, parser: LogParser) -> Collected:
    """Without marks all of the log is the suite's; nothing between them, and all of it is tried."""
    log = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    _, started, rest = log.partition(START_MARK)
    if not started:
        return Collected(parser(log))
    inside, ended, _ = rest.partition(END_MARK)
    tests = parser(inside) or parser(log)
    return Collected(tests, "" if ended else "suite broke off")
