"""The harness's own time in a local run: provision, inject, take the patch, clean up.

Runs the baseline of each instance of the quickstart study once with the gold-patch agent; agent and
tests are measured apart by the run itself.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from pytest_jagged.config import load_study
from pytest_jagged.execution.study import Study

STUDY = Path(__file__).parents[1] / "instances" / "quickstart.yaml"


def main() -> None:
    with tempfile.TemporaryDirectory() as reports:
        study = Study.open(load_study(STUDY, runs=1), Path(reports))
        study.prepare(print)
        print(f"{'instance':<12} {'own':>7} {'agent':>7} {'tests':>7}")
        for case in study.cases:
            if case.condition.kind.value == "baseline":
                timing = study.run(case, variant=None).timing
                print(
                    f"{case.instance_id:<12} {timing.own_s:6.2f}s {timing.agent_s:6.2f}s"
                    f" {timing.grade_s:6.2f}s"
                )


if __name__ == "__main__":
    main()
