"""Instance folders and package archives for these tests."""

from __future__ import annotations

import hashlib
import io
import tarfile
import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["CALC", "DESCRIPTION", "GOLD", "make_sdist", "make_wheel", "sha256", "write_instance"]

DESCRIPTION = """\
schema: 1
id: calc
source: {kind: dir, path: repo}
test_command: python check.py
results: exit_code
test_deps: []
fail_to_pass: [exit_code]
pass_to_pass: []
"""

CALC = {
    "repo/calc/__init__.py": "def double(n):\n    return n + n + 1\n",
    "repo/check.py": "import calc\nassert calc.double(0) == 1\n",
    "tests/check.py": "import calc\nassert calc.double(2) == 4\n",
}

GOLD = """\
diff --git a/calc/__init__.py b/calc/__init__.py
--- a/calc/__init__.py
+++ b/calc/__init__.py
@@ -1,2 +1,2 @@
 def double(n):
-    return n + n + 1
+    return n + n
"""


def write_instance(
    folder: Path, description: str = DESCRIPTION, files: Mapping[str, str] = CALC
) -> Path:
    """An instance folder whose one test is a program that must exit with 0."""
    everything = {
        "instance.yaml": description,
        "issue.md": "# `double` adds one too many\n",
        "gold.patch": GOLD,
        **files,
    }
    for name, content in everything.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content), "utf-8")
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_sdist(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """A `.tar.gz` whose build script would fail if anybody ran it."""
    top = f"{name}-{version}"
    everything = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "setup.py": "raise SystemExit('the build script was run')\n",
        **files,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{top}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for relative, content in everything.items():
            info = tarfile.TarInfo(f"{top}/{relative}")
            data = content.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def make_wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    metadata = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for relative, content in files.items():
            archive.writestr(relative, content)
        requires = files.get(f"{metadata}/REQUIRES", "")
        lines = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
        archive.writestr(f"{metadata}/METADATA", lines)
        wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{metadata}/WHEEL", wheel)
        archive.writestr(f"{metadata}/RECORD", "")
    return path
