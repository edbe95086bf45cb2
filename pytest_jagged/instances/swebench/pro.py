"""SWE-bench Pro: rows, and the checkout that holds each instance's own test scripts."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_jagged.contracts.environment import ImageTree, ReadImage
from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode, ResultsSource
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.diff import patched_files
from pytest_jagged.instances.patching import patch_edits
from pytest_jagged.instances.swebench.images import image_of, pro_image
from pytest_jagged.instances.swebench.row_instance import finished, instance_of
from pytest_jagged.instances.swebench.rows import Row, read_rows
from pytest_jagged.instances.swebench.suite import SuiteRun

__all__ = ["ProRows"]

Progress = Callable[[str], None]

_WORKDIR = "/app"
_SCRIPTS = ("run_script.sh", "parser.py")


@dataclass(frozen=True, slots=True)
class ProRows:
    """*checkout* is a clone of the data set's repository (`run_scripts/<id>/` in it)."""

    file: Path
    checkout: Path
    read_image: ReadImage | None
    image: str | None = None

    def list_ids(self) -> tuple[str, ...]:
        return tuple(read_rows(self.file))

    def without_python(self, instance_ids: Iterable[str]) -> tuple[str, ...]:
        """Those whose fix touches no Python file, so that no transformation can reach it."""
        rows = read_rows(self.file)
        return tuple(
            name
            for name in instance_ids
            if not any(f.endswith(".py") for f in patched_files(rows[name].text("patch")))
        )

    def load(self, instance_id: str, cache: Path, progress: Progress) -> Instance:  # noqa: ARG002
        """The id holds the fix's commit: nothing but the record and the report may show it.

        Raises:
            InstanceError: names file and instance.
        """
        row = read_rows(self.file)[instance_id]
        name = image_of(row, pro_image(row.id, row.text("repo")), self.image)
        scripts = self._scripts(row)
        if self.read_image is None:
            raise row.error(f"its tree is in image {name}, which nothing here can read")
        progress(f"{row.id}: reading the tree of image {name}")
        tree = self.read_image(name, _WORKDIR, {})
        files = row.texts("selected_test_files_to_run")
        command = f"bash {{scripts}}/run_script.sh {shlex.quote(','.join(files))}"
        instance = instance_of(
            row,
            name,
            tree,
            SuiteRun(command, ResultsSource(ResultsMode.SCRIPTS)),
            gold=row.text("patch"),
            overlay=_overlay(row, tree),
        )
        globs = tuple(glob.escape(f) for f in files if (tree.seed / f).is_file())
        instance = replace(
            instance,
            problem_statement=_prompt(row),
            scripts=scripts,
            test_globs=globs,
            workdir=_WORKDIR,
        )
        return finished(instance, row.texts("pass_to_pass"), tree)

    def _scripts(self, row: Row) -> tuple[FileEdit, ...]:
        folder = self.checkout / "run_scripts" / row.id
        try:
            return tuple(FileEdit(name, (folder / name).read_bytes()) for name in _SCRIPTS)
        except OSError as error:
            raise row.error(
                f"{error.filename}: {error.strerror}; `scripts` must name a whole checkout of the"
                " data set's repository"
            ) from None


def _prompt(row: Row) -> str:
    """All three texts, put together as the data set's own `create_problem_statement` does."""
    return (
        f"{row.unquoted('problem_statement')}\n\n"
        f"Requirements:\n{row.unquoted('requirements')}\n\n"
        f"New interfaces introduced:\n{row.unquoted('interface')}"
    )


def _overlay(row: Row, tree: ImageTree) -> tuple[FileEdit, ...]:
    """Upstream takes the graded files from the fix's commit; here they are the tree's own files
    with the test patch, so that no repository is needed where patches are graded.
    """
    try:
        changed = patch_edits(tree.seed, row.text("test_patch"))
    except InstanceError as error:
        raise row.error(f"test_patch does not apply to the image's tree: {error}") from None
    edits = {edit.path: edit for edit in changed}
    for name in _checked_out(row):
        if name in edits:
            continue
        path = tree.seed / name
        if not path.is_file():
            raise row.error(f"before_repo_set_cmd names {name!r}, which test_patch does not make")
        edits[name] = FileEdit(name, path.read_bytes())
    return tuple(edits[name] for name in sorted(edits))


def _checked_out(row: Row) -> list[str]:
    """The files of the last line, `git checkout COMMIT -- FILE…`."""
    lines = row.unquoted("before_repo_set_cmd").strip().splitlines()
    try:
        words = shlex.split(lines[-1]) if lines else []
    except ValueError as error:
        raise row.error(f"before_repo_set_cmd: {error}") from None
    if words[:2] != ["git", "checkout"] or "--" not in words:
        return []
    return words[words.index("--") + 1 :]
