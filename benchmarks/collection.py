"""Collecting a study of the paper's size: 54 instances × 2 conditions × 20 runs = 2,160 items.

Printed beside the collection of as many parametrised plain tests, in the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSTANCES, RUNS = 54, 20


def write_study(folder: Path) -> Path:
    for number in range(INSTANCES):
        instance = folder / f"instance-{number:02d}"
        (instance / "repo").mkdir(parents=True)
        (instance / "repo" / "code.py").write_text("x = 1\n")
        (instance / "issue.md").write_text("x is wrong\n")
        value = {
            "schema": 1,
            "id": instance.name,
            "source": {"kind": "dir", "path": "repo"},
            "test_command": "python -c 'import code'",
            "results": "exit_code",
            "fail_to_pass": ["exit_code"],
            "pass_to_pass": [],
        }
        (instance / "instance.yaml").write_text(json.dumps(value))
    study = {"runs": RUNS, "instances": [f"instance-{n:02d}" for n in range(INSTANCES)]}
    path = folder / "study.yaml"
    path.write_text(json.dumps(study))
    return path


def collect(folder: Path, *arguments: str) -> float:
    """Seconds of the whole process."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = write_study(folder)
        count = INSTANCES * 2 * RUNS
        (folder / "test_plain.py").write_text(
            f"import pytest\n@pytest.mark.parametrize('n', range({count}))\ndef test_n(n): pass\n"
        )
        (folder / "test_none.py").write_text("def test_one(): pass\n")
        start = collect(folder, "test_none.py")
        ours = collect(folder, f"--jagged-config={study}", "-n", "0")
        plain = collect(folder, "test_plain.py", "-n", "0")
    print(f"{count} items: {ours - start:.2f} s beyond an empty pytest of {start:.2f} s")
    print(f"as many parametrised plain tests: {plain - start:.2f} s")
    print(f"ratio {(ours - start) / (plain - start):.2f}")


if __name__ == "__main__":
    main()
