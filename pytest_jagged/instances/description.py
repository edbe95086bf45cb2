"""`instance.yaml` as a frozen value; docs/instances.md says what each key means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_jagged.contracts.instance import Keywords, ResultsMode, ResultsSource, TestTimeouts
from pytest_jagged.errors import ConfigError, InstanceError
from pytest_jagged.instances.fields import Fields
from pytest_jagged.yaml_file import read_yaml

__all__ = ["DESCRIPTION_FILE", "Description", "SourceKind", "check_id", "read_description"]

DESCRIPTION_FILE = "instance.yaml"
_SCHEMA = 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_KEYS = (
    *("schema", "id", "source", "import_root", "python", "test_deps", "test_command", "results"),
    *("fail_to_pass", "pass_to_pass", "gold_files", "gold_exclude", "test_globs", "source_globs"),
    *("image", "workdir", "env", "network", "timeouts", "keywords", "tags"),
)


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Where the tree comes from. `dir`: path; `git`: path, commit; `pypi`: the rest."""

    kind: str
    path: str = "repo"
    commit: str = ""
    name: str = ""
    version_from: str = ""
    version_to: str = ""
    sha256_from: str = ""
    sha256_to: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """What the author wrote. `pass_to_pass` None stands for `auto`."""

    file: Path
    id: str
    source: SourceKind
    import_root: str
    python: str
    test_deps: tuple[str, ...]
    test_command: str
    results: ResultsSource
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...] | None
    gold_files: tuple[str, ...]
    gold_exclude: tuple[str, ...]
    test_globs: tuple[str, ...]
    source_globs: tuple[str, ...]
    image: str | None
    workdir: str
    env: Mapping[str, str]
    network: str
    timeouts: TestTimeouts
    keywords: Keywords | None
    tags: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return self.file.parent

    def error(self, message: str) -> InstanceError:
        return InstanceError(f"{self.file}: {message}")


def read_description(folder: Path) -> Description:
    """Read and check `instance.yaml` of *folder*.

    Raises:
        InstanceError: one line with file, line, key and what would be right.
    """
    path = folder / DESCRIPTION_FILE
    try:
        fields = Fields(read_yaml(path), (), _KEYS)
    except ConfigError as error:
        raise InstanceError(str(error)) from None
    if fields.has("schema") and not fields.holds("schema", _SCHEMA):
        raise fields.error("schema", f"this version reads schema {_SCHEMA} only")
    return Description(
        file=path,
        id=check_id(fields.text("id", folder.resolve().name), path),
        source=_source(fields),
        import_root=_relative(fields, "import_root", "."),
        python=_python(fields),
        test_deps=fields.texts("test_deps"),
        test_command=fields.text("test_command"),
        results=_results(fields),
        fail_to_pass=_fail_to_pass(fields),
        pass_to_pass=_pass_to_pass(fields),
        gold_files=fields.texts("gold_files"),
        gold_exclude=fields.texts("gold_exclude"),
        test_globs=fields.texts("test_globs"),
        source_globs=fields.texts("source_globs"),
        image=fields.text("image") if fields.has("image") else None,
        workdir=fields.text("workdir", "/testbed"),
        env=fields.texts_by_name("env"),
        network=fields.text("network", "none"),
        timeouts=_timeouts(fields),
        keywords=_keywords(fields),
        tags=fields.texts("tags"),
    )


def check_id(name: str, path: Path) -> str:
    """Ids name folders of the record store and parts of pytest node ids."""
    if not _ID.fullmatch(name):
        raise InstanceError(f"{path}: id: {name!r}: use letters, digits, '.', '_' and '-' only")
    return name


def _source(fields: Fields) -> SourceKind:
    if not fields.has("source"):
        return SourceKind("dir")
    every = ("kind", "path", "commit", "name", "from", "to", "sha256_from", "sha256_to")
    kind = fields.inner("source", every).choice("kind", ("dir", "git", "pypi", "image"), None)
    if kind == "dir":
        inner = fields.inner("source", ("kind", "path"))
        return SourceKind("dir", path=inner.text("path", "repo"))
    if kind == "git":
        inner = fields.inner("source", ("kind", "path", "commit"))
        commit = _matching(inner, "commit", _COMMIT, "7 or more hex digits of a commit")
        return SourceKind("git", path=inner.text("path"), commit=commit)
    if kind == "image":
        raise fields.error("source", "kind image is not supported yet; use dir, git or pypi")
    inner = fields.inner("source", ("kind", *every[3:]))
    digest = "64 lower-case hex digits (sha256sum FILE)"
    return SourceKind(
        "pypi",
        name=_matching(inner, "name", _ID, "the package's name"),
        version_from=_matching(inner, "from", _ID, "the broken version"),
        version_to=_matching(inner, "to", _ID, "the fixed version"),
        sha256_from=_matching(inner, "sha256_from", _SHA256, digest),
        sha256_to=_matching(inner, "sha256_to", _SHA256, digest),
    )


def _matching(fields: Fields, key: str, pattern: re.Pattern[str], what: str) -> str:
    text = fields.text(key)
    if not pattern.fullmatch(text):
        raise fields.error(key, f"{text!r} is not {what}")
    return text


def _relative(fields: Fields, key: str, default: str) -> str:
    text = fields.text(key, default)
    pure = PurePosixPath(text)
    if pure.is_absolute() or ".." in pure.parts:
        raise fields.error(key, f"{text!r} leaves the tree; write a path inside it")
    return pure.as_posix()


def _python(fields: Fields) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = fields.text("python", ">=3.10")
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        raise fields.error("python", f"{text!r} is no version specifier such as '>=3.10'") from None


def _results(fields: Fields) -> ResultsSource:
    text = fields.text("results", "pytest")
    mode, _, argument = text.partition(":")
    if mode not in [m.value for m in ResultsMode if m is not ResultsMode.SCRIPTS]:
        fields.choice("results", ("pytest", "junit:PATH", "parser:NAME", "exit_code"), "")
    source = ResultsSource(ResultsMode(mode), argument or None)
    if (source.mode in (ResultsMode.JUNIT, ResultsMode.PARSER)) != (source.argument is not None):
        raise fields.error("results", f"{text!r}: write junit:PATH, parser:NAME or pytest")
    return source


def _fail_to_pass(fields: Fields) -> tuple[str, ...]:
    tests = fields.texts("fail_to_pass")
    if not tests:
        raise fields.error("fail_to_pass", "names no test; the issue's tests belong here")
    return tests


def _pass_to_pass(fields: Fields) -> tuple[str, ...] | None:
    if not fields.has("pass_to_pass") or fields.holds("pass_to_pass", "auto"):
        return None
    return fields.texts("pass_to_pass")


def _timeouts(fields: Fields) -> TestTimeouts:
    if not fields.has("timeouts"):
        return TestTimeouts()
    inner = fields.inner("timeouts", ("test", "agent"))
    return TestTimeouts(test=inner.seconds("test"), agent=inner.seconds("agent"))


def _keywords(fields: Fields) -> Keywords | None:
    if not fields.has("keywords"):
        return None
    inner = fields.inner("keywords", ("methods", "literals"))
    return Keywords(methods=inner.texts("methods"), literals=inner.texts("literals"))
