"""Whether the gold solution still solves a variant."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pytest_jagged.contracts.evaluation import GradeStatus
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.variant import GoldSolves, Variant
from pytest_jagged.environments.git import isolated_environment
from pytest_jagged.errors import EnvironmentFailure, InstanceError
from pytest_jagged.sampling.seed_results import RunTests, run_suite

__all__ = ["gold_edits", "merge_gold", "overlay_edits", "solve_with_gold"]

_TIMEOUT_S = 300
_NAMED = re.compile(
    r'^(?:--- |\+\+\+ |rename from |copy from |diff --git )(?:"?a/|"?b/)?(.+?)"?(?:\t.*)?\r?$', re.M
)
_SAME_NAME = re.compile(r"^a/(?P<path>.+) b/(?P=path)$")


def solve_with_gold(
    instance: Instance,
    variant: Variant,
    gold: Sequence[FileEdit],
    redraw: Callable[[], Sequence[FileEdit]],
    run_tests: RunTests,
) -> GoldSolves:
    """Merge the gold change into the variant; where that conflicts or fails, rewrite seed + gold.

    *redraw* gives the files that the variant's own choices change on seed + gold.
    """
    if not gold:
        return GoldSolves.UNKNOWN
    merged = merge_gold(instance, variant.edits, gold)
    first = GoldSolves.UNKNOWN
    if merged is not None:
        first = _solves(instance, merged, run_tests)
        if first is GoldSolves.YES or variant.unchanged:
            return first
    second = _solves(instance, overlay_edits(gold, redraw()), run_tests)
    return first if second is GoldSolves.UNKNOWN else second


def _solves(instance: Instance, edits: Sequence[FileEdit], run_tests: RunTests) -> GoldSolves:
    grade = run_suite(run_tests, instance, edits)
    if grade.status is GradeStatus.GRADED:
        return GoldSolves.YES if grade.resolved else GoldSolves.NO
    return GoldSolves.NO if grade.status is GradeStatus.NO_TESTS else GoldSolves.UNKNOWN


def overlay_edits(below: Sequence[FileEdit], above: Sequence[FileEdit]) -> tuple[FileEdit, ...]:
    """Both sets of file states, sorted by path; *above* wins."""
    together = {edit.path: edit for edit in (*below, *above)}
    return tuple(together[path] for path in sorted(together))


def gold_edits(instance: Instance) -> tuple[FileEdit, ...]:
    """The files that the gold patch changes, in the state it gives them.

    Raises:
        InstanceError: the patch does not apply to the seed.
        EnvironmentFailure: git cannot be run.
    """
    if not instance.gold_patch.strip():
        return ()
    with tempfile.TemporaryDirectory(prefix="gold-") as name:
        folder = Path(name).resolve()
        before = _copy_named(instance, folder)
        patch = instance.gold_patch.encode("utf-8", "surrogateescape")
        done = _git(["apply", "--binary", "--whitespace=nowarn", "-"], folder, patch)
        if done.returncode != 0:
            message = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
            raise InstanceError(
                f"{instance.id}: the gold patch does not apply to the seed: {message[:300]};"
                f" mend the instance (jagged check {instance.id})"
            )
        return _states(folder, before)


def merge_gold(
    instance: Instance, variant: Sequence[FileEdit], gold: Sequence[FileEdit]
) -> tuple[FileEdit, ...] | None:
    """Three-way merge per file (base = seed, ours = variant, theirs = gold); None on a conflict."""
    ours = {edit.path: edit.content for edit in variant}
    merged = list(variant)
    for edit in gold:
        mine = ours.get(edit.path)
        if mine is None or edit.content is None:
            merged.append(edit)
            continue
        content = _merge((instance.seed / edit.path).read_bytes(), mine, edit.content)
        if content is None:
            return None
        merged.append(FileEdit(edit.path, content, edit.executable))
    return overlay_edits((), merged)


def _merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="merge-") as name:
        folder = Path(name)
        for label, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (folder / label).write_bytes(content)
        done = _git(["merge-file", "-p", "-q", "ours", "base", "theirs"], folder)
        return done.stdout if done.returncode == 0 else None


def _copy_named(instance: Instance, folder: Path) -> Mapping[str, bytes]:
    """Put the seed's files that the patch speaks of into *folder*."""
    copied: dict[str, bytes] = {}
    for name in _NAMED.findall(instance.gold_patch):
        same = _SAME_NAME.match(f"a/{name}")
        path = same["path"] if same else name
        source = instance.seed / path
        if path in copied or not source.is_file() or source.is_symlink():
            continue
        copied[path] = source.read_bytes()
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(copied[path])
        target.chmod(source.stat().st_mode & 0o777)
    return copied


def _states(folder: Path, before: Mapping[str, bytes]) -> tuple[FileEdit, ...]:
    after = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    edits = [FileEdit(path, None) for path in before if path not in after]
    for name, path in after.items():
        content = path.read_bytes()
        if before.get(name) != content:
            edits.append(FileEdit(name, content, bool(path.stat().st_mode & 0o100)))
    return tuple(sorted(edits, key=lambda edit: edit.path))


def _git(
    arguments: Sequence[str], folder: Path, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    # No repository above the folder may be found, or git would apply the patch to that one.
    env = {**isolated_environment(folder), "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            input=stdin,
            env=env,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailure(f"git {arguments[0]}: {error}") from error
