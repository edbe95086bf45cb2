"""Digests of what decides an outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pytest_jagged.contracts.digests import bytes_digest, json_digest
from pytest_jagged.contracts.instance import Instance

__all__ = ["content_digest", "task_digest", "with_pass_to_pass"]


def content_digest(instance: Instance) -> str:
    """What decides the results of the suite: tree, graded tests, fix and command.

    Neither the Python version nor the pass-to-pass list is in it: a lock file names those itself.
    """
    return json_digest(_content(instance))


def _content(instance: Instance) -> dict[str, Any]:
    return {
        "seed": instance.seed_digest,
        "overlay": [
            [edit.path, None if edit.content is None else bytes_digest(edit.content)]
            for edit in instance.overlay
        ],
        "gold": bytes_digest(instance.gold_patch.encode("utf-8", "surrogateescape")),
        "command": instance.test_command,
        "results": [instance.results.mode.value, instance.results.argument],
        "import_root": instance.import_root,
        "env": dict(instance.env),
        "fail_to_pass": list(instance.fail_to_pass),
        **_scripts(instance),
    }


def _scripts(instance: Instance) -> dict[str, Any]:
    """Nothing where there is none: lock files name the digest of instances without."""
    if not instance.scripts:
        return {}
    digests = [[script.path, bytes_digest(script.content or b"")] for script in instance.scripts]
    return {"scripts": digests}


def task_digest(instance: Instance, packages: Iterable[str]) -> str:
    """Everything but the pass-to-pass list, which may still have to be found.

    *packages* name what surrounds the tree: what pip installed, or the image.
    """
    return json_digest(
        {
            **_content(instance),
            "id": instance.id,
            "issue": instance.problem_statement,
            "python": list(instance.python_version),
            "test_deps": list(packages),
            "gold_files": list(instance.gold_files),
            "test_globs": list(instance.test_globs),
            "source_globs": list(instance.source_globs),
            "image": instance.image,
            "workdir": instance.workdir,
            "network": instance.network,
            "timeouts": [instance.timeouts.test, instance.timeouts.agent],
        }
    )


def with_pass_to_pass(
    instance: Instance, tests: Iterable[str], flaky: Iterable[str] = (), *, proven: bool
) -> Instance:
    """The instance with its list; *instance* has the digest of `task_digest`."""
    listed = tuple(tests)
    return replace(
        instance,
        pass_to_pass=listed,
        flaky=tuple(flaky),
        pass_to_pass_pending=False,
        proven=proven,
        digest=json_digest([instance.digest, list(listed)]),
    )
