"""Environment `local`: a copied tree and subprocesses. It isolates tree, variables, HOME and cwd
only; what else a command can reach on this machine, it can reach (records say `isolation: none`).
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_jagged.contracts.environment import ExecResult, ImageTree, Isolation
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments import janitor
from pytest_jagged.environments.command import run_command
from pytest_jagged.environments.edits import write_edit
from pytest_jagged.environments.processes import end_holders
from pytest_jagged.environments.tree import (
    copy_tree,
    digest_tree,
    read_regular,
    remove_tree,
)
from pytest_jagged.errors import ConfigError, EnvironmentFailure

__all__ = ["LocalEnvironment", "LocalProvider"]

_LONGEST_ARGUMENT = 100_000  # bytes; Linux takes 128 KiB
_GIT_IDENTITY = "[user]\n\tname = Developer\n\temail = developer@example.com\n"


class LocalProvider:
    """Makes local environments."""

    name = "local"

    def __init__(self, limits: LimitSettings) -> None:
        self._limits = limits

    def create(self, instance: Instance) -> LocalEnvironment:
        try:
            root = Path(tempfile.mkdtemp()).resolve()
        except OSError as error:
            raise EnvironmentFailure(f"no temporary folder: {error.strerror}") from error
        try:
            return LocalEnvironment(root, instance)
        except BaseException:
            remove_tree(root)
            raise

    def image_tree(self, image: str, workdir: str, env: Mapping[str, str]) -> ImageTree:  # noqa: ARG002
        raise ConfigError(
            f"image {image}: environment local has no images; set environment.backend: docker"
        )

    def identity(self) -> Mapping[str, str]:
        return {"backend": "local"}

    def preflight(self, instances: Sequence[Instance]) -> list[str]:
        problems = [
            f"{tool}: not on PATH; install it" for tool in ("git",) if not shutil.which(tool)
        ]
        problems += [
            f"{instance.id}: interpreter {instance.interpreter} does not exist; remove its cache"
            for instance in instances
            if not Path(instance.interpreter).exists()
        ]
        return problems


class LocalEnvironment:
    """A folder with `testbed` (the tree), `home` and `tmp`; nothing in a path tells what is run."""

    isolation = Isolation.NONE

    def __init__(self, root: Path, instance: Instance) -> None:
        self._root = root
        self._tree = root / "testbed"
        self.workdir = str(self._tree)
        self.scratch = str(root / "tmp")
        self.interpreter = instance.interpreter
        self._token = root.name + os.urandom(8).hex()
        janitor.watch(self._token, root)
        try:
            copy_tree(instance.seed, self._tree)
            for name in ("home", "tmp"):
                (root / name).mkdir()
            (root / "home" / ".gitconfig").write_text(_GIT_IDENTITY)
        except OSError as error:
            raise EnvironmentFailure(f"cannot copy the tree: {error.strerror or error}") from error
        self._variables = self._make_variables(instance)

    def _make_variables(self, instance: Instance) -> dict[str, str]:
        own_bin = str(Path(sys.prefix) / "bin")
        path = [p for p in os.environ.get("PATH", os.defpath).split(os.pathsep) if p != own_bin]
        return {
            "PATH": os.pathsep.join([str(Path(instance.interpreter).parent), *path]),
            "HOME": str(self._root / "home"),
            "TMPDIR": self.scratch,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "USER": "developer",
            "LOGNAME": "developer",
            "SHELL": "/bin/sh",
            "PYTHONPATH": str(self._tree / instance.import_root),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            **instance.env,
        }

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
        if isinstance(command, str):
            command = self._in_shell(command)
        return run_command(
            command,
            cwd=self._path(cwd or self.workdir),
            env={**self._variables, **(env or {})},
            token=self._token,
            timeout=timeout,
            idle_timeout=idle_timeout,
            stdin=stdin,
        )

    def _in_shell(self, script: str) -> Sequence[str]:
        shell = shutil.which("bash") or "/bin/sh"
        data = script.encode("utf-8", "surrogateescape")
        if len(data) < _LONGEST_ARGUMENT:
            return [shell, "-c", script]
        path = self._root / "tmp" / f"script-{secrets.token_hex(8)}"
        try:
            path.write_bytes(data)
        except OSError as error:
            raise EnvironmentFailure(f"cannot write a script: {error.strerror}") from error
        return [shell, str(path)]

    def write(self, edits: Iterable[FileEdit]) -> None:
        for edit in edits:
            try:
                write_edit(self._tree, edit)
            except OSError as error:
                raise EnvironmentFailure(f"cannot write {edit.path}: {error.strerror}") from error

    def read(self, path: str) -> bytes | None:
        try:
            return read_regular(self._path(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise EnvironmentFailure(f"cannot read {path}: {error.strerror}") from error

    def copy_in(self, source: Path, path: str) -> None:
        target = self._path(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                copy_tree(source, target, keep_caches=True)
            else:
                shutil.copyfile(source, target)
        except OSError as error:
            raise EnvironmentFailure(f"cannot copy to {path}: {error.strerror}") from error

    def copy_out(self, path: str, destination: Path) -> None:
        source = self._path(path)
        try:
            if source.is_dir() and not source.is_symlink():
                copy_tree(source, destination, keep_caches=True)
            elif source.is_file() or source.is_symlink():
                shutil.copyfile(source, destination, follow_symlinks=False)
            else:
                raise EnvironmentFailure(f"{path}: no such file or folder in the environment")
        except OSError as error:
            raise EnvironmentFailure(f"cannot copy {path}: {error.strerror}") from error

    def host_tree(self) -> Path | None:
        return self._tree

    def host_url(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def tree_digest(self) -> str:
        try:
            return digest_tree(self._tree)
        except OSError as error:
            raise EnvironmentFailure(f"cannot read the tree: {error.strerror}") from error

    def close(self) -> None:
        if self._root.exists():
            end_holders(self._token)
            remove_tree(self._root)
        janitor.release(self._token, self._root)

    def _path(self, path: str) -> Path:
        return self._tree / path  # an absolute path stays what it is
