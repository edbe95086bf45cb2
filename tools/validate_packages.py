"""Run `jagged validate` on packages from the index and print the tables of docs/validation.md.

    python tools/validate_packages.py FOLDER [NAME …]

FOLDER receives the sdists, one virtual environment and one JSON file a package; what is there
already is used again. Nothing of the packages is part of this repository.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Package:
    """`tests` are pytest's arguments, run from the root of the unpacked sdist."""

    name: str
    version: str
    kind: str
    tests: str
    needs: tuple[str, ...] = ()
    import_root: str = "."

    @property
    def stem(self) -> str:
        return f"{self.name}-{self.version}"


PACKAGES = (
    Package("itsdangerous", "2.2.0", "web", "tests", ("freezegun",), "src"),
    Package("pluggy", "1.5.0", "plug-ins", "testing", (), "src"),
    Package("inflect", "7.4.0", "text", "tests", ("typeguard", "more_itertools")),
    Package("toolz", "1.0.0", "iterators", "toolz/tests"),
    Package("markdown", "3.7", "markup", "--continue-on-collection-errors tests", ("PyYAML",)),
    Package("pyparsing", "3.2.0", "parsing", "tests/test_simple_unit.py tests/test_util.py"),
)


def interpreter(folder: Path, packages: Sequence[Package]) -> Path:
    """Of a virtual environment with what the suites need, but none of the packages."""
    home = folder / "venv"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    needs = sorted({need for package in packages for need in package.needs})
    run([python, "-m", "pip", "install", "-q", "pytest", *needs])
    return python


def unpack(folder: Path, package: Package, python: Path) -> Path:
    tree = folder / package.stem
    if not tree.exists():
        requirement = f"{package.name}=={package.version}"
        options: list[str | Path] = ["-q", "--no-deps", "--no-binary", ":all:", "-d", folder]
        run([python, "-m", "pip", "download", *options, requirement])
        with tarfile.open(folder / f"{package.stem}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return tree


def validate(folder: Path, package: Package, python: Path) -> list[dict[str, Any]]:
    out = folder / f"{package.stem}.json"
    if not out.exists():
        command = f"python -m pytest -q -p no:cacheprovider {package.tests}"
        options: list[str | Path] = ["--python", python, "--json", out]
        options += ["--import-root", package.import_root]
        tree = unpack(folder, package, python)
        jagged: list[str | Path] = [sys.executable, "-m", "pytest_jagged", "validate", tree]
        subprocess.run([*jagged, "--test-command", command, *options], check=False)
    found: list[dict[str, Any]] = json.loads(out.read_text("utf-8"))["transformations"]
    return found


def run(command: Sequence[str | Path]) -> None:
    subprocess.run(command, check=True)


def by_package(results: dict[Package, list[dict[str, Any]]]) -> Iterator[str]:
    yield "| package | kind | tests | sites rewritten | changed outcomes | look at source |"
    yield "|---|---|---|---|---|---|"
    for package, found in results.items():
        changed = [test for one in found for test in one["changed"]]
        source = sum(test["observes_source"] for test in changed)
        applied = sum(one["applied"] for one in found)
        tests = max(one["tests"] for one in found)
        yield (
            f"| {package.name} {package.version} | {package.kind} | {tests} | {applied:,} |"
            f" {len(changed)} | {source} |"
        )


def by_transformation(results: dict[Package, list[dict[str, Any]]]) -> Iterator[str]:
    yield "| transformation | rewritten | refused | most frequent reasons |"
    yield "|---|---|---|---|"
    for rows in zip(*results.values(), strict=True):
        skipped: Counter[str] = Counter()
        for row in rows:
            skipped.update(row["skipped"])
        reasons = "; ".join(f"{reason} ({count})" for reason, count in skipped.most_common(3))
        applied = sum(row["applied"] for row in rows)
        yield f"| {rows[0]['spt']} | {applied:,} | {skipped.total():,} | {reasons} |"


def main() -> None:
    folder, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    chosen = [package for package in PACKAGES if not names or package.name in names]
    folder.mkdir(parents=True, exist_ok=True)
    python = interpreter(folder, chosen)
    results = {package: validate(folder, package, python) for package in chosen}
    print("\n".join([*by_package(results), "", *by_transformation(results)]))


if __name__ == "__main__":
    main()
