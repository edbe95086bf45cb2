"""Writes what each test did; put beside the suite at grading time (any pytest >= 3, Python >= 3.5).

One JSON line per event goes to the file that RESULTS_FILE names, so that a suite which dies midway
leaves what it had done. The variable is taken out of the environment before the suite is loaded.
"""

import json
import os
from typing import Any

_FILE = os.environ.pop("RESULTS_FILE", None)
os.environ.pop("PYTEST_PLUGINS", None)


def _write(event: "dict[str, Any]") -> None:
    if _FILE is not None:
        with open(_FILE, "a", encoding="ascii") as stream:
            stream.write(json.dumps(event) + "\n")


def pytest_sessionstart() -> None:
    _write({"started": os.getpid()})


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _write({"id": report.nodeid or ".", "when": "collect", "status": "error"})


def pytest_runtest_logreport(report: Any) -> None:
    status = report.outcome
    if hasattr(report, "wasxfail"):
        status = "xfailed" if report.skipped else "xpassed"
    elif report.failed and report.when != "call":
        status = "error"
    _write({"id": report.nodeid, "when": report.when, "status": status})


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    _write({"finished": int(exitstatus), "collected": int(getattr(session, "testscollected", 0))})
