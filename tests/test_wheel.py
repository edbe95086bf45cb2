"""The packaged demo from an installed wheel, outside any checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [pytest.mark.slow, pytest.mark.network]


def test_demo_from_a_wheel(tmp_path: Path) -> None:
    """Dependencies come from the running environment, the package itself from the wheel alone."""
    wheels, venv = tmp_path / "wheels", tmp_path / "venv"
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", str(ROOT), "--no-deps", "-w", str(wheels)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next((venv / "lib").iterdir()) / "site-packages"
    (wheel,) = wheels.glob("pytest_jagged-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env["JAGGED_CACHE"] = str(tmp_path / "cache")
    done = subprocess.run(
        [
            str(venv / "bin" / "python"),
            "-m",
            "pytest",
            "--jagged-config=demo",
            "-p",
            "no:cacheprovider",
        ],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mean degradation" in done.stdout
    report = json.loads((tmp_path / "reports" / "demo" / "report.json").read_text())
    (instance,) = report["configurations"][0]["instances"]
    assert instance["baseline"]["resolved"] == instance["baseline"]["runs"] == 3
    location = "import pytest_jagged; print(pytest_jagged.__file__)"
    shown = subprocess.run(
        [str(venv / "bin" / "python"), "-c", location], cwd=tmp_path, capture_output=True, text=True
    )
    assert shown.stdout.startswith(str(venv))
