"""Environment `docker`: a tree in a container of its own, without network unless stated."""

from __future__ import annotations

import secrets
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

from pytest_jagged.contracts.environment import ExecResult, Isolation
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.environments.docker.archives import pack, pack_files, unpack
from pytest_jagged.environments.docker.container import Container
from pytest_jagged.environments.docker.edit_script import stage_edits
from pytest_jagged.environments.tree import digest_tree
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["DockerEnvironment"]

_STEP_S = 600  # for what the environment itself does in the container
_SCRATCH = "/tmp"
_GIT_IDENTITY = b"[user]\n\tname = Developer\n\temail = developer@example.com\n"
_PICK_SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash "$0"; else exec sh "$0"; fi'


class DockerEnvironment:
    """The instance's seed at its `workdir`; the image's own tree there is replaced."""

    isolation = Isolation.CONTAINER

    def __init__(self, container: Container, instance: Instance, network: str) -> None:
        self._container = container
        self._network = network
        self.workdir = instance.workdir
        self.scratch = _SCRATCH
        self.interpreter = instance.interpreter
        self._variables = {
            "HOME": "/root",
            "TMPDIR": _SCRATCH,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(Path(instance.workdir) / instance.import_root),
            **instance.env,
        }
        folder = shlex.quote(self.workdir)
        self._step(f"mkdir -p {folder} /root && find {folder} -mindepth 1 -delete", cwd="/")
        self.copy_in(instance.seed, self.workdir, keep_caches=False)
        container.put(pack_files({".gitconfig": _GIT_IDENTITY}), "/root")

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
        staged: dict[str, bytes] = {}
        if isinstance(command, str):
            name = f"script-{secrets.token_hex(8)}"
            staged[name] = command.encode("utf-8", "surrogateescape")
            command = ["/bin/sh", "-c", _PICK_SHELL, f"{_SCRATCH}/{name}"]
        if stdin is not None:
            name = f"input-{secrets.token_hex(8)}"
            staged[name] = stdin
            feed = 'exec <"$0" && rm -f -- "$0" && exec "$@"'
            command = ["/bin/sh", "-c", feed, f"{_SCRATCH}/{name}", *command]
        if staged:
            self._container.put(pack_files(staged), _SCRATCH)
        return self._container.run(
            command,
            cwd=self._path(cwd or self.workdir),
            env={**self._variables, **(env or {})},
            timeout=timeout,
            idle_timeout=idle_timeout,
        )

    def write(self, edits: Iterable[FileEdit]) -> None:
        folder = f"{_SCRATCH}/edits-{secrets.token_hex(8)}"
        script, contents = stage_edits(edits, folder)
        files = {f"{Path(folder).name}/{name}": content for name, content in contents.items()}
        files[f"{Path(folder).name}/apply"] = script.encode("utf-8", "surrogateescape")
        self._container.put(pack_files(files), _SCRATCH)
        self._step(f"sh {folder}/apply && rm -rf {folder}", cwd=self.workdir)

    def read(self, path: str) -> bytes | None:
        archive = self._container.get(self._path(path))
        if archive is None:
            return None
        with archive, tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "entry")
            self._unpack(archive, target, path)
            return target.read_bytes() if target.is_file() and not target.is_symlink() else None

    def copy_in(self, source: Path, path: str, *, keep_caches: bool = True) -> None:
        target = Path(self._path(path))
        self._step(f"mkdir -p {shlex.quote(str(target.parent))}", cwd="/")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as stream:
            staging = Path(folder, "entry")
            try:
                pack(source, target.name, stream, staging, keep_caches=keep_caches)
            except OSError as error:
                raise EnvironmentFailure(f"cannot copy {source}: {error.strerror}") from error
            stream.seek(0)
            self._container.put(stream, str(target.parent))

    def copy_out(self, path: str, destination: Path) -> None:
        archive = self._container.get(self._path(path))
        if archive is None:
            raise EnvironmentFailure(f"{path}: no such file or folder in the environment")
        with archive:
            self._unpack(archive, destination, path)

    def host_tree(self) -> Path | None:
        return None

    def host_url(self, port: int) -> str:
        if self._network != "host":
            raise EnvironmentFailure(
                f"environment.network is {self._network}: commands reach no port of this machine"
            )
        return f"http://127.0.0.1:{port}"

    def tree_digest(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder, "tree")
            self.copy_out(self.workdir, tree)
            return digest_tree(tree)

    def close(self) -> None:
        self._container.remove()

    def _unpack(self, archive: IO[bytes], destination: Path, path: str) -> None:
        try:
            unpack(archive, destination)
        except OSError as error:
            raise EnvironmentFailure(f"cannot copy {path}: {error}") from error

    def _step(self, script: str, *, cwd: str) -> None:
        command = ["/bin/sh", "-c", script]
        done = self._container.run(command, cwd=cwd, env={}, timeout=_STEP_S)
        if not done.ok:
            message = done.stderr.decode("utf-8", "replace").strip()[-300:].replace("\n", "; ")
            raise EnvironmentFailure(f"a step in the container failed: {message}")

    def _path(self, path: str) -> str:
        return str(Path(self.workdir) / path)  # an absolute path stays what it is
