"""Without the option on the command line the plugin costs nothing and does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import Run, Study

HEAVY = [
    *("libcst", "astroid", "nltk", "docker", "litellm", "scipy", "numpy", "pydantic", "yaml"),
    "annotated_types",
]


def test_plain_pytest_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys

        def test_nothing_heavy():
            assert "pytest_jagged.plugin" in sys.modules
            assert not [name for name in {HEAVY!r} if name in sys.modules]
            ours = [name for name in sys.modules if name.startswith("pytest_jagged")]
            assert len(ours) < 6, ours
        """
    )
    # hypothesis' own plugin imports some of these when it is loaded
    command = [sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(
        [*command, "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:randomly"],
        cwd=pytester.path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert b"1 passed" in done.stdout, done.stdout.decode()
    assert b"jagged" not in done.stdout.replace(b"jagged-", b"")


def test_p_no_jagged(run: Run, study: Study) -> None:
    result = run("-p", "no:jagged", f"--jagged-config={study()}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*unrecognized arguments: --jagged-config*"])


@pytest.mark.parametrize("where", ["addopts", "environment"])
def test_the_option_counts_only_on_the_command_line(
    pytester: pytest.Pytester, run: Run, study: Study, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study()
    if where == "addopts":
        pytester.makeini(f"[pytest]\naddopts = --jagged-config={path}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"--jagged-config={path}")
    pytester.makepyfile("def test_mine(): pass")
    result = run("-W", "default")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([f"*type: pytest --jagged-config={path}*"])
    assert not (pytester.path / "reports").exists()


def test_the_study_alone_is_collected_unless_paths_are_named(
    pytester: pytest.Pytester, run: Run, study: Study
) -> None:
    path = study(runs=1)
    own = pytester.makepyfile(test_own="def test_own(): pass")
    alone = run(f"--jagged-config={path}", "--collect-only", "-q")
    assert "test_own" not in alone.stdout.str()
    both = run(f"--jagged-config={path}", "--collect-only", "-q", own)
    both.stdout.fnmatch_lines(["mine.yaml::alpha::baseline[[]r01]", "test_own.py::test_own"])
    assert Path(path).exists()
