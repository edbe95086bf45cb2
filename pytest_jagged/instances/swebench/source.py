"""Rows of SWE-bench's form as task instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_jagged.contracts.environment import ImageTree, ReadImage
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.patching import patch_edits
from pytest_jagged.instances.swebench.images import derived_image, image_of
from pytest_jagged.instances.swebench.injected_bug import injected_bug
from pytest_jagged.instances.swebench.projects import PROJECTS
from pytest_jagged.instances.swebench.row_instance import (
    ENVIRONMENT,
    WORKDIR,
    finished,
    instance_of,
)
from pytest_jagged.instances.swebench.rows import Row, read_rows
from pytest_jagged.instances.swebench.suite import suite_of

__all__ = ["SwebenchRows"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SwebenchRows:
    """One file of rows: SWE-bench (classic or 5), Lite, Verified, Multilingual, SWE-Gym,
    SWE-rebench, SWE-smith. *image* replaces the images' names (see `image_of`).
    """

    file: Path
    read_image: ReadImage | None
    image: str | None = None

    def list_ids(self) -> tuple[str, ...]:
        return tuple(read_rows(self.file))

    def load(self, instance_id: str, cache: Path, progress: Progress) -> Instance:
        """Raises InstanceError that names file and instance."""
        row = read_rows(self.file)[instance_id]
        derived = derived_image(row.id, gym=_is_gym(row))
        name = image_of(row, derived, self.image)
        if self.read_image is None:
            raise row.error(f"its tree is in image {name}, which nothing here can read")
        progress(f"{row.id}: reading the tree of image {name}")
        tree = self.read_image(name, WORKDIR, ENVIRONMENT)
        try:
            if _is_injected(row):
                instance = _injected(row, name, tree, cache)
            else:
                instance = _classic(row, name, tree)
        except InstanceError as error:
            located = str(error).startswith(str(self.file))
            raise error if located else row.error(str(error)) from None
        return finished(instance, row.texts("PASS_TO_PASS"), tree)


def _is_injected(row: Row) -> bool:
    """SWE-smith's rows have neither: their base is the image's tree, their tests are in it."""
    return not row.has("test_patch") and not row.has("base_commit")


def _is_gym(row: Row) -> bool:
    return not row.has("environment_setup_commit") and row.text("repo", "") not in PROJECTS


def _classic(row: Row, image: str, tree: ImageTree) -> Instance:
    if row.text("eval_type", "pass_and_fail") != "pass_and_fail":
        raise row.error(f"eval_type {row.text('eval_type')!r} is not supported: pass_and_fail only")
    if row.mapping("image_assets"):
        raise row.error("image_assets are not supported: text and code only")
    gold = row.text("patch")
    overlay = _overlay(row, tree)
    tests = [edit.path for edit in overlay if edit.content is not None]
    run = suite_of(row, tests, WORKDIR)
    return instance_of(row, image, tree, run, gold=gold, overlay=overlay)


def _overlay(row: Row, tree: ImageTree) -> tuple[FileEdit, ...]:
    try:
        return patch_edits(tree.seed, row.text("test_patch"))
    except InstanceError as error:
        raise row.error(f"test_patch does not apply to the image's tree: {error}") from None


def _injected(row: Row, image: str, tree: ImageTree, cache: Path) -> Instance:
    bug = injected_bug(row, tree, cache)
    changed = replace(tree, seed=bug.seed, seed_digest=bug.seed_digest)
    instance = instance_of(row, image, changed, bug.run, gold=bug.gold_patch, overlay=bug.overlay)
    return replace(instance, seed_edits=bug.seed_edits)
