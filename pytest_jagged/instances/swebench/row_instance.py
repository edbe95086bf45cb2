"""A task instance from a row and the tree of its image."""

from __future__ import annotations

from dataclasses import replace

from pytest_jagged.contracts.environment import ImageTree
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.instances.diff import patched_files
from pytest_jagged.instances.identity import task_digest, with_pass_to_pass
from pytest_jagged.instances.swebench.rows import Row
from pytest_jagged.instances.swebench.suite import SuiteRun

__all__ = ["ENVIRONMENT", "WORKDIR", "finished", "instance_of"]

WORKDIR = "/testbed"
# The interpreter of these images is a conda environment that only root's profile activates.
ENVIRONMENT = {"BASH_ENV": "/root/.bashrc"}


def instance_of(
    row: Row,
    image: str,
    tree: ImageTree,
    run: SuiteRun,
    *,
    gold: str,
    overlay: tuple[FileEdit, ...],
) -> Instance:
    files = patched_files(gold)
    if not files:
        raise row.error("patch changes no file")
    issue = row.unquoted("problem_statement")
    if not issue.strip():
        raise row.error("problem_statement is empty; an agent would be told nothing")
    fail_to_pass = row.texts("FAIL_TO_PASS")
    if not fail_to_pass:
        raise row.error("FAIL_TO_PASS names no test")
    return Instance(
        id=row.id,
        problem_statement=issue,
        seed=tree.seed,
        seed_digest=tree.seed_digest,
        digest="",
        test_command=run.command,
        results=run.results,
        fail_to_pass=fail_to_pass,
        pass_to_pass=(),
        gold_patch=gold if gold.endswith("\n") else gold + "\n",
        gold_files=files,
        overlay=overlay,
        interpreter=tree.interpreter,
        python_version=tree.python_version,
        image=image,
        workdir=WORKDIR,
        env=tree.env,
    )


def finished(instance: Instance, pass_to_pass: tuple[str, ...], tree: ImageTree) -> Instance:
    """With its digest, in which the image's own identity is, since a tag may move."""
    instance = replace(instance, digest=task_digest(instance, (tree.image_id,)))
    if not pass_to_pass:
        return replace(instance, pass_to_pass_pending=True)
    return with_pass_to_pass(instance, pass_to_pass, proven=False)
