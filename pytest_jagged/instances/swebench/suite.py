"""What is run to grade an instance of a row, and how its results are read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_jagged.contracts.instance import ResultsMode, ResultsSource
from pytest_jagged.contracts.log_marks import END_MARK, START_MARK
from pytest_jagged.instances.swebench.projects import Project, project_of
from pytest_jagged.instances.swebench.rows import Row

__all__ = ["SuiteRun", "own_suite", "suite_of"]

_ACTIVATE = (
    "if [ -f /opt/miniconda3/bin/activate ]; then"
    " source /opt/miniconda3/bin/activate && conda activate testbed; fi"
)
_HEREDOC = re.compile(r"(?<!<)<<(?!<)-?\s*(['\"]?)(\w+)\1")
_RESETS = re.compile(r"\bgit\s+(?:-\S+\s+)*(?:apply|checkout|clean|reset|restore|stash)\b")
# swebench's NON_TEST_EXTS: files of the test patch that the test command does not take.
_NO_TESTS = (
    *(".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml"),
)


@dataclass(frozen=True, slots=True)
class SuiteRun:
    command: str
    results: ResultsSource


def suite_of(row: Row, test_files: Sequence[str], workdir: str) -> SuiteRun:
    """By the row's own script, else by its `install_config` (SWE-rebench), else as swebench tested
    the project; for any other project pytest on *test_files*, collected by our plugin.

    Raises:
        InstanceError: the row's script has no test command between marks, or resets the tree in a
            way that cannot be taken out of it.
    """
    files = [name for name in test_files if not name.endswith(_NO_TESTS)]
    if row.has("eval_script"):
        return SuiteRun(_from_script(row, workdir), _parser(row.text("log_parser")))
    config = row.mapping("install_config")
    if config:
        project = Project(
            parser=str(config.get("log_parser") or "pytest"),
            command=_as_text(config.get("test_cmd") or "pytest -rA"),
            install=_as_text(config.get("install") or ""),
        )
        return _as_swebench(project, files)
    known = project_of(row.text("repo"), row.text("version", ""))
    if known is None:
        return own_suite(files)
    if row.text("repo") == "django/django":
        files = [_django_label(name) for name in files]
    return _as_swebench(known, files)


def own_suite(files: Iterable[str]) -> SuiteRun:
    """pytest on *files* by a command of ours."""
    command = f"python -m pytest -p no:cacheprovider {_quoted(files)}"
    return SuiteRun(f"{_ACTIVATE}\n{command}", ResultsSource(ResultsMode.PYTEST))


def _as_text(value: object) -> str:
    return " && ".join(map(str, value)) if isinstance(value, list) else str(value)


def _parser(name: str) -> ResultsSource:
    return ResultsSource(ResultsMode.PARSER, name)


def _quoted(files: Iterable[str]) -> str:
    return " ".join(shlex.quote(name) for name in files)


def _django_label(path: str) -> str:
    """`tests/x/tests.py` is the label `x.tests`."""
    pure = PurePosixPath(path.removeprefix("tests/"))
    return (str(pure.with_suffix("")) if pure.suffix == ".py" else str(pure)).replace("/", ".")


def _as_swebench(project: Project, files: Sequence[str]) -> SuiteRun:
    lines = [_ACTIVATE, *project.setup, project.install]
    lines += [f"echo '{START_MARK}'", f"{project.command} {_quoted(files)}"]
    return SuiteRun(_with_exit_code(lines), _parser(project.parser))


def _with_exit_code(lines: Sequence[str]) -> str:
    """The command's own exit code, which a script that goes on would lose."""
    ending = ("test_exit_code=$?", f"echo '{END_MARK}'", "exit $test_exit_code")
    return "\n".join([*(line for line in lines if line), *ending])


def _from_script(row: Row, workdir: str) -> str:
    """The row's script without what resets, patches or asks the repository: grading writes the tree
    itself, in an order of its own, and nothing may undo that.
    """
    lines = _without_git(row, workdir)
    starts = [n for n, line in enumerate(lines) if START_MARK in line]
    ends = [n for n, line in enumerate(lines) if END_MARK in line]
    if not starts or not ends or ends[0] <= starts[0] + 1:
        raise row.error("eval_script has no test command between its marks")
    # Inner lines may set up; the last one before the end mark is the command.
    return _with_exit_code(lines[: ends[0]])


def _without_git(row: Row, workdir: str) -> list[str]:
    kept: list[str] = []
    until: str | None = None  # the delimiter that ends a here-document
    dropping = False
    for line in row.text("eval_script").split("\n"):
        if until is not None:
            if not dropping:
                kept.append(line)
            until = None if line.strip() == until else until
            continue
        words = line.split()
        dropping = _touches_repository(words) or words == ["cd", workdir]
        if not dropping and _RESETS.search(line):
            raise row.error(f"eval_script: {line.strip()!r} would undo what is graded")
        if not dropping:
            kept.append(line)
        match = _HEREDOC.search(line)
        until = match[2] if match else None
    return kept


def _touches_repository(words: Sequence[str]) -> bool:
    return words[:1] == ["git"] and words[1:2] != ["config"]
