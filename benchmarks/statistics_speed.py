"""Degradation (both bootstraps), steps and cost on all runs: CPU seconds and peak memory.

Two sizes at 40 runs per condition and 20,000 resamples: the paper's 54 instances and SWE-bench
Verified's 500. Each in a process of its own, imports apart; also which heavy packages came along.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time

RUNS, RESAMPLES = 40, 20_000
LIMITS = {54: (1.0, 1024.0), 500: (10.0, 1024.0)}  # instances: seconds, MB


def measure(instances: int) -> dict[str, object]:
    import numpy  # noqa: F401 - an import that is not measured

    from pytest_jagged.statistics.cells import Arm, PairedInstance
    from pytest_jagged.statistics.degradation import mean_degradation
    from pytest_jagged.statistics.effort import relative_change
    from pytest_jagged.statistics.samples import all_runs

    rng = random.Random(0)

    def arm() -> Arm:
        rate = rng.betavariate(0.6, 0.3)
        return Arm(
            resolved=tuple(rng.random() < rate for _ in range(RUNS)),
            steps=tuple(float(rng.randint(5, 90)) for _ in range(RUNS)),
            cost_usd=tuple(rng.lognormvariate(-1, 0.7) for _ in range(RUNS)),
        )

    cells = [PairedInstance(str(number), arm(), arm()) for number in range(instances)]
    began = time.process_time()
    mean_degradation(cells, confidence=0.95, resamples=RESAMPLES, seed=0)
    for values in (lambda a: a.steps, lambda a: a.cost_usd):
        relative_change(cells, all_runs(values), confidence=0.95, resamples=RESAMPLES, seed=0)
    return {
        "instances": instances,
        "seconds": round(time.process_time() - began, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "imported": [name for name in ("scipy", "statsmodels", "pandas") if name in sys.modules],
    }


def main() -> int:
    if len(sys.argv) == 2:
        print(json.dumps(measure(int(sys.argv[1]))))
        return 0
    kept = True
    for instances, (seconds, megabytes) in LIMITS.items():
        command = [sys.executable, __file__, str(instances)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        good = found["seconds"] < seconds and found["peak_mb"] < megabytes and not found["imported"]
        kept &= good
        print(
            f"{instances} instances × {RUNS} runs × {RESAMPLES} resamples: {found['seconds']} s CPU"
            f" (limit {seconds:g}), {found['peak_mb']} MB (limit {megabytes:g})"
            f"{'' if good else '  TOO MUCH'}"
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
