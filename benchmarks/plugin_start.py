"""What the installed plugin adds to a start of plain pytest in a project that does not use it.

Starts with and without the plugin alternate, so that drift of the machine meets both alike.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def start(folder: Path, *options: str) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=15, help="starts of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_one.py").write_text("def test_one(): pass\n")
        start(folder)
        start(folder, "-p", "no:jagged")
        pairs = [(start(folder), start(folder, "-p", "no:jagged")) for _ in range(options.starts)]
    with_plugin = statistics.median(one for one, _ in pairs)
    without = statistics.median(other for _, other in pairs)
    extra = statistics.median(1000 * (one - other) for one, other in pairs)
    print(f"with the plugin {1000 * with_plugin:.0f} ms, without {1000 * without:.0f} ms")
    print(f"median difference {extra:+.1f} ms, ratio {with_plugin / without:.3f}")


if __name__ == "__main__":
    main()
