"""Where an agent works and patches are graded: a fresh tree and a way to run commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol

from pytest_jagged.contracts.instance import FileEdit, Instance

__all__ = [
    "Ending",
    "Environment",
    "EnvironmentProvider",
    "ExecResult",
    "ImageTree",
    "Isolation",
    "ReadImage",
]


class Isolation(str, Enum):
    """What a record may claim about its environment (design 4.2)."""

    NONE = "none"
    CONTAINER = "container"


class Ending(str, Enum):
    """Why a command stopped."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    IDLE = "idle"  # no output for the idle limit
    OUT_OF_MEMORY = "out_of_memory"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ExecResult:
    """`exit_code` is None unless the command exited by itself; a signal gives 128 + its number."""

    ending: Ending
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    duration_s: float

    @property
    def ok(self) -> bool:
        return self.ending is Ending.EXITED and self.exit_code == 0


class Environment(Protocol):
    """One fresh environment. All paths in it are strings; tree paths are relative to `workdir`.

    Every method raises EnvironmentFailure when the environment itself is at fault.
    """

    workdir: str  # the tree
    scratch: str  # a folder outside the tree for task files and the like
    interpreter: str  # runs the instance's tests
    isolation: Isolation

    def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float,
        idle_timeout: float | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        cwd: str | None = None,
    ) -> ExecResult:
        """Run *command* (a string goes to `bash -c`, or `sh -c` without bash) in `workdir`.

        When it returns, for whatever reason, nothing the command started is left running.
        *env* adds to the environment's own variables. stdin is closed unless given.
        """
        ...

    def write(self, edits: Iterable[FileEdit]) -> None:
        """Bring files of the tree to the given states (a deleted file may be absent already)."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of a file (absolute, or relative to the tree); None where there is none."""
        ...

    def copy_in(self, source: Path, path: str) -> None:
        """Copy a host file or folder to the absolute *path* (or one relative to the tree)."""
        ...

    def copy_out(self, path: str, destination: Path) -> None:
        """Copy a file or folder to the host path *destination*, which must not exist.

        Symbolic links stay links and are never followed; sockets and devices are left out.
        """
        ...

    def host_tree(self) -> Path | None:
        """The tree where the host can read it in place; None where it must be copied out."""
        ...

    def host_url(self, port: int) -> str:
        """The base URL under which commands in here reach *port* of the host's loopback.

        It stays valid until `close`. Raises EnvironmentFailure where there is no such way.
        """
        ...

    def tree_digest(self) -> str:
        """Digest over names, modes and bytes of the tree without `.git`."""
        ...

    def close(self) -> None:
        """End everything and remove the environment; safe to call twice."""
        ...


@dataclass(frozen=True, slots=True)
class ImageTree:
    """What an image holds of an instance, taken out of it once.

    `seed` is a folder of the cache: the tree without history, bytecode and other leftovers.
    `image_id` is the digest of the image itself, since a tag may move. `interpreter` is the path in
    the image of the python that runs the tests, and `env` what each command there needs to find it.
    """

    seed: Path
    seed_digest: str
    image_id: str
    interpreter: str
    python_version: tuple[int, int]
    env: Mapping[str, str] = field(default_factory=dict)


# `EnvironmentProvider.image_tree` of some provider.
ReadImage = Callable[[str, str, Mapping[str, str]], ImageTree]


class EnvironmentProvider(Protocol):
    """Makes fresh environments of one backend."""

    name: str

    def create(self, instance: Instance) -> Environment:
        """A fresh environment whose tree is the instance's seed, without any git history.

        One that starts from the image's own tree writes the instance's `seed_edits`.
        """
        ...

    def image_tree(self, image: str, workdir: str, env: Mapping[str, str]) -> ImageTree:
        """The tree at *workdir* of *image*, and the python that commands find there under *env*.

        The data set says *env*; the tree's own is that, as far as this backend uses it.

        Raises:
            ConfigError: this backend has no images.
            EnvironmentFailure: the image cannot be had or read.
        """
        ...

    def identity(self) -> Mapping[str, str]:
        """What of the backend decides an outcome; part of the record key."""
        ...

    def preflight(self, instances: Sequence[Instance]) -> list[str]:
        """All problems at once, one line each; empty when a session can start."""
        ...
