"""A task instance: repository at a base state, issue, tests, gold patch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

__all__ = [
    "FileEdit",
    "Instance",
    "Keywords",
    "ResultsMode",
    "ResultsSource",
    "TestTimeouts",
    "has_test_layout",
    "matches_glob",
]

_TEST_DIRECTORIES = frozenset({"test", "tests", "e2e", "t"})
_TEST_BASENAMES = ("test_*.py", "*_test.py", "conftest.py", "tests.py")
# Build files run at install time and are read statically; package metadata is generated.
_NEVER_SOURCE = frozenset({"setup.py", "versioneer.py", "conftest.py", "noxfile.py"})
_NEVER_SOURCE_DIRECTORIES = frozenset(
    {".git", "__pycache__", "node_modules", "build", "dist", ".tox", ".nox", ".venv", "venv"}
)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The state one file shall have: its bytes, or None for a file that shall not exist.

    `path` is POSIX and relative to the tree. `executable` None keeps what the tree has.
    """

    path: str
    content: bytes | None
    executable: bool | None = None


class ResultsMode(str, Enum):
    """How per-test results are collected from the test command."""

    PYTEST = "pytest"  # our result plugin, put in at grading time
    JUNIT = "junit"  # a JUnit XML file the command writes
    PARSER = "parser"  # a named log parser
    EXIT_CODE = "exit_code"  # the command as a whole is the only test
    SCRIPTS = "scripts"  # scripts of the instance's own run the suite and read its output


@dataclass(frozen=True, slots=True)
class ResultsSource:
    """`junit:PATH` and `parser:NAME` carry an argument."""

    mode: ResultsMode
    argument: str | None = None

    @property
    def only_passed(self) -> bool:
        """Whether a required test must have passed, so that a skip is a failure (SWE-bench Pro)."""
        return self.mode is ResultsMode.SCRIPTS


@dataclass(frozen=True, slots=True)
class Keywords:
    """Targets for the keyword-bound transformations, as found in the issue."""

    methods: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestTimeouts:
    """Seconds; None takes the study's limit."""

    __test__ = False  # pytest: this is no test class
    test: float | None = None
    agent: float | None = None


def matches_glob(path: str, pattern: str) -> bool:
    """POSIX glob where `**` crosses directories (also zero of them) and `*` does not."""
    return _match_parts(PurePosixPath(path).parts, PurePosixPath(pattern).parts)


def _match_parts(parts: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return not parts
    if patterns[0] == "**":
        return any(_match_parts(parts[i:], patterns[1:]) for i in range(len(parts) + 1))
    if not parts:
        return False
    return fnmatchcase(parts[0], patterns[0]) and _match_parts(parts[1:], patterns[1:])


def has_test_layout(path: str) -> bool:
    """Whether *path* lies where tests commonly lie (a directory or file name, not a substring)."""
    pure = PurePosixPath(path)
    if any(part in _TEST_DIRECTORIES for part in pure.parts[:-1]):
        return True
    if len(pure.parts) > 1 and pure.parts[0] == "testing":
        return True
    return any(fnmatchcase(pure.name, pattern) for pattern in _TEST_BASENAMES)


@dataclass(frozen=True, slots=True)
class Instance:
    """Everything a run needs to know about its task; made by the loaders in room `instances`.

    `seed` is a folder of the cache (or the instance's own) that is read, never written: the tree at
    the base state without version-control history. `gold_patch` is a unified diff against it.
    `overlay` are the graded test files, laid over the tree only at grading time, and `scripts` what
    is put beside the tree then (`{scripts}` in the test command is their folder).
    `seed_edits` is what the seed has other than the tree at `workdir` of the image: a provider that
    starts from the image writes them.
    `digest` covers everything that decides an outcome. While `pass_to_pass_pending`, the list is
    still to be found by running the suite (`execution.proving`), and the digest lacks it. `proven`:
    the instance's own lock file says that it was checked as it is, on this Python version.
    """

    id: str
    problem_statement: str
    seed: Path
    seed_digest: str
    digest: str
    test_command: str
    results: ResultsSource
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    gold_patch: str
    gold_files: tuple[str, ...]
    overlay: tuple[FileEdit, ...] = ()
    scripts: tuple[FileEdit, ...] = ()
    seed_edits: tuple[FileEdit, ...] = ()
    import_root: str = "."
    interpreter: str = "python"  # local: absolute path of the instance's own python
    python_version: tuple[int, int] = (3, 11)
    test_globs: tuple[str, ...] = ()
    source_globs: tuple[str, ...] = ()
    image: str | None = None
    workdir: str = "/testbed"
    env: Mapping[str, str] = field(default_factory=dict)
    network: str = "none"
    timeouts: TestTimeouts = TestTimeouts()
    keywords: Keywords | None = None
    tags: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    pass_to_pass_pending: bool = False
    proven: bool = False

    def is_test_file(self, path: str) -> bool:
        """Whether *path* belongs to the oracle: never rewritten, agent's edits to it dropped.

        Gold files are source by definition; then the instance's own globs; then the graded
        overlay; then the common test layouts.
        """
        if path in self.gold_files:
            return False
        if any(matches_glob(path, pattern) for pattern in self.test_globs):
            return True
        if any(edit.path == path for edit in self.overlay):
            return True
        return has_test_layout(path)

    def is_source_file(self, path: str) -> bool:
        """Whether the sampler may rewrite *path* (Algorithm 1, SourceFiles)."""
        pure = PurePosixPath(path)
        if pure.suffix != ".py" or self.is_test_file(path):
            return False
        if path in self.gold_files:
            return True
        if pure.name in _NEVER_SOURCE or any(p in _NEVER_SOURCE_DIRECTORIES for p in pure.parts):
            return False
        if self.source_globs:
            return any(matches_glob(path, pattern) for pattern in self.source_globs)
        return True
