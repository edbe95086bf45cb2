"""Environment `local`: a copied tree and subprocesses. It isolates tree, variables, HOME and cwd
only; what else a command can reach on this machine, it can reach (records say `isolation: none`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_jagged.contracts.environment import ExecResult, Isolation
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.environments.command import run_command
from pytest_jagged.environments.processes import descendants, end_processes
from pytest_jagged.environments.tree import copy_tree, remove_tree
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["LocalEnvironment", "LocalProvider"]

_TOKEN_VARIABLE = "SESSION_TOKEN"
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
            _TOKEN_VARIABLE: self._token,
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
            command = [shutil.which("bash") or "/bin/sh", "-c", command]
        variables = {**self._variables, **(env or {}), _TOKEN_VARIABLE: self._token}
        return run_command(
            command,
            cwd=self._path(cwd or self.workdir),
            env=variables,
            token=self._token,
            timeout=timeout,
            idle_timeout=idle_timeout,
            stdin=stdin,
        )

    def write(self, edits: Iterable[FileEdit]) -> None:
        for edit in edits:
            path = self._tree / edit.path
            try:
                self._write_one(path, edit)
            except OSError as error:
                raise EnvironmentFailure(f"cannot write {edit.path}: {error.strerror}") from error

    def _write_one(self, path: Path, edit: FileEdit) -> None:
        if path.is_symlink() or path.is_file():
            mode = stat.S_IMODE(path.lstat().st_mode)
            path.unlink()
        else:
            mode = 0o644
        if edit.content is None:
            return
        self._make_folder(path.parent)
        if path.is_dir():
            remove_tree(path)
        path.write_bytes(edit.content)
        if edit.executable is not None:
            mode = 0o755 if edit.executable else 0o644
        path.chmod(mode)

    def _make_folder(self, folder: Path) -> None:
        """A file or a link in the way of a folder gives way: links could lead out of the tree."""
        for part in reversed([folder, *folder.parents]):
            if part in self._tree.parents or part == self._tree:
                continue
            if part.is_symlink() or (part.exists() and not part.is_dir()):
                part.unlink()
            part.mkdir(exist_ok=True)

    def read(self, path: str) -> bytes | None:
        try:
            # A pipe or a device that an agent left there would never end.
            return self._path(path).read_bytes() if self._path(path).is_file() else None
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
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

    def tree_digest(self) -> str:
        digest = hashlib.sha256()
        for path in sorted(self._tree.rglob("*")):
            relative = path.relative_to(self._tree)
            if relative.parts[0] == ".git":
                continue
            mode = stat.S_IMODE(path.lstat().st_mode)
            digest.update(os.fsencode(relative) + b"\0%o\0" % mode)
            if path.is_symlink():
                digest.update(os.fsencode(path.readlink()))
            elif path.is_file():
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def close(self) -> None:
        end_processes(0x7FFFFFFF, self._token, descendants())
        remove_tree(self._root)

    def _path(self, path: str) -> Path:
        return self._tree / path  # an absolute path stays what it is
