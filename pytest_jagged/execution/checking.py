"""Load and prove the instances of an entry, and keep what was found beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_jagged import instances
from pytest_jagged.contracts.environment import EnvironmentProvider
from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import InstanceEntry, LimitSettings
from pytest_jagged.errors import InstanceError
from pytest_jagged.evaluation.grader import Grader
from pytest_jagged.execution.proving import RunTests, prove
from pytest_jagged.instances.lock_file import LOCK_FILE, renew_lock

__all__ = ["CheckedInstance", "check_entry"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CheckedInstance:
    """`python` is None where the instance could not even be loaded; `lock` was written now."""

    id: str
    problems: tuple[str, ...]
    python: str | None = None
    fail_to_pass: int = 0
    pass_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    lock: Path | None = None

    @property
    def valid(self) -> bool:
        return not self.problems


def check_entry(
    entry: InstanceEntry,
    provider: EnvironmentProvider,
    limits: LimitSettings,
    *,
    repeats: int,
    progress: Progress,
) -> Iterator[CheckedInstance]:
    """Check the instances of *entry* one by one, in environments of *provider*.

    Raises:
        ConfigError: the entry itself cannot be read, or needs another kind of environment.
        InfrastructureError: nothing can be said about an instance (disk full, git missing).
    """
    for instance_id in instances.list_ids(entry):
        try:
            instance = instances.load(
                entry,
                instance_id,
                cache=instances.cache_root(),
                progress=progress,
                read_image=provider.image_tree,
            )
        except InstanceError as error:
            yield CheckedInstance(instance_id, (str(error),))
            continue
        progress(f"{instance.id}: running its tests {2 * repeats} times")
        yield _check(instance, entry, Grader(provider, limits).run_tests, repeats)


def _check(
    instance: Instance, entry: InstanceEntry, run_tests: RunTests, repeats: int
) -> CheckedInstance:
    finds_list = instance.pass_to_pass_pending or instance.proven  # `pass_to_pass: auto`
    if finds_list:
        instance = replace(instance, pass_to_pass=(), pass_to_pass_pending=True)
    proof = prove(instance, run_tests, repeats=repeats)
    tests, flaky, lock = proof.pass_to_pass, proof.flaky, None
    if finds_list and proof.valid and entry.path is not None:
        renewed = renew_lock(instance, entry.path, tests, flaky)
        tests, flaky, lock = renewed.pass_to_pass, renewed.flaky, entry.path / LOCK_FILE
    return CheckedInstance(
        id=instance.id,
        problems=proof.problems,
        python="{}.{}".format(*instance.python_version),
        fail_to_pass=len(instance.fail_to_pass),
        pass_to_pass=tests,
        flaky=flaky,
        lock=lock,
    )
