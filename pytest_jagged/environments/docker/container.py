"""One container: made without a way out, used by commands and archives, removed."""

from __future__ import annotations

import contextlib
import io
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from docker import DockerClient
from docker.errors import DockerException, NotFound

from pytest_jagged.contracts.environment import Ending, ExecResult
from pytest_jagged.contracts.settings import EnvironmentSettings
from pytest_jagged.environments.docker.engine import engine_trouble
from pytest_jagged.environments.docker.streams import Frames, attend
from pytest_jagged.errors import EnvironmentFailure

__all__ = ["Container"]

_HOST_NAME = "testbed"  # the same for all, so that it names no run
_SPOOL = 16 << 20  # bytes of an archive kept in memory
_KILLED = 137
_ENDING_ATTEMPTS = 3
# A shell says of what it cannot execute that it cannot; the engine would call it its own trouble.
_GUARDIAN = ("/bin/sh", "-c", '"$@"\nexit $?', "sh")
_ENDED = b"ended"
# Signals all but itself and the first process, so also what left its group and session. Prints how
# often the kernel ran out of memory for this container (cgroup v2, v1), then that it got this far.
_END_ALL = (
    "kill -9 -1; cd /sys/fs/cgroup; for file in memory.events memory/memory.oom_control; do"
    ' [ ! -r "$file" ] || while read -r key count; do'
    ' [ "$key" != oom_kill ] || echo "$count"; done <"$file"; done;'
    f" echo {_ENDED.decode()}"
)


class Container:
    """A started container in which one command runs at a time."""

    def __init__(
        self,
        client: DockerClient,
        image: str,
        settings: EnvironmentSettings,
        labels: Mapping[str, str],
    ) -> None:
        self._api = client.api
        self._lock = threading.Lock()
        self._memory_kills = 0
        with engine_trouble(f"cannot make a container of {image}"):
            made = client.containers.create(
                image,
                entrypoint=["/bin/sh", "-c", "while :; do sleep 86400; done"],
                command=[],
                user="root",
                hostname=None if settings.network == "host" else _HOST_NAME,
                labels=dict(labels),
                network_mode=settings.network,
                mem_limit=settings.memory,
                memswap_limit=settings.memory,
                nano_cpus=round(settings.cpus * 1e9) if settings.cpus else None,
                pids_limit=settings.pids,
                security_opt=["no-new-privileges"],
                init=False,  # its first process is what `kill -1` spares
            )
        self.id: str = made.id
        try:
            with engine_trouble(f"cannot start a container of {image}"):
                made.start()
        except BaseException:
            self.remove()
            raise

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float,
        idle_timeout: float | None = None,
    ) -> ExecResult:
        """When this returns, nothing but the container's first process is running in it.

        Raises:
            EnvironmentFailure: the container or the engine is gone, or a command cannot be ended.
        """
        with self._lock, engine_trouble("the container of this run is lost"):
            return self._run(command, cwd, env, timeout, idle_timeout)

    def _run(
        self,
        command: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        timeout: float,
        idle_timeout: float | None,
    ) -> ExecResult:
        start = time.monotonic()
        frames = Frames()
        guarded = [*_GUARDIAN, *command]
        made = self._api.exec_create(self.id, guarded, environment=dict(env), workdir=cwd)
        opened = self._api.exec_start(made["Id"], socket=True)
        connection = getattr(opened, "_sock", opened)
        state: dict[str, Any] = {}

        def is_running() -> bool:
            state.update(self._api.exec_inspect(made["Id"]))
            return bool(state["Running"])

        try:
            ending = attend(
                connection, frames, is_running, timeout=timeout, idle_timeout=idle_timeout
            )
        finally:
            _close(opened, connection)
            kills = self._end_all()
        code = state["ExitCode"] if ending is Ending.EXITED else None
        if code == _KILLED and kills:
            ending, code = Ending.OUT_OF_MEMORY, None
        duration = time.monotonic() - start
        return ExecResult(ending, code, frames.stdout.value(), frames.stderr.value(), duration)

    def _end_all(self) -> int:
        """End every command; how many processes died since the last time for want of memory."""
        for _ in range(_ENDING_ATTEMPTS):
            output = self._end_once()
            if _ENDED in output:
                counts = [int(line) for line in output.split() if line.isdigit()]
                before, self._memory_kills = self._memory_kills, counts[0] if counts else 0
                return max(0, self._memory_kills - before)
        # A fork bomb leaves no process to the command that would end it.
        self._api.restart(self.id, timeout=0)
        self._memory_kills = 0
        return 0

    def _end_once(self) -> bytes:
        made = self._api.exec_create(self.id, ["/bin/sh", "-c", _END_ALL], stderr=False)
        with contextlib.suppress(DockerException):
            return bytes(self._api.exec_start(made["Id"]))
        return b""

    def put(self, archive: bytes | IO[bytes], folder: str) -> None:
        """Unpack *archive* in *folder*, which exists."""
        with engine_trouble(f"cannot write to {folder} in the container"):
            self._api.put_archive(self.id, folder, archive)

    def get(self, path: str) -> IO[bytes] | None:
        """The archive of a file or folder, links as links; None where there is none."""
        with engine_trouble(f"cannot read {path} in the container"):
            try:
                chunks, _ = self._api.get_archive(self.id, path)
            except NotFound as error:
                if "No such container" in str(error):
                    raise EnvironmentFailure("the container of this run is gone") from error
                return None
            stream = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115
            for chunk in chunks:
                stream.write(chunk)
        stream.seek(0, io.SEEK_SET)
        return stream

    def remove(self) -> None:
        """Remove it with all that runs in it; one that is gone already is removed."""
        with engine_trouble("cannot remove a container"), contextlib.suppress(NotFound):
            self._api.remove_container(self.id, force=True, v=True)


def _close(opened: Any, connection: Any) -> None:
    """The client library leaves the answer that carried the connection open."""
    answer = getattr(opened, "_response", None)
    for part in (answer, opened, connection):
        if part is not None:
            part.close()
