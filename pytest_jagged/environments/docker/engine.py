"""Reach a Docker engine, or Podman's socket that speaks its protocol."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
from docker.errors import DockerException

from pytest_jagged.errors import EnvironmentFailure

__all__ = ["connect", "engine_trouble"]

_DOCKER_SOCKET = "/var/run/docker.sock"


def connect(timeout: float) -> docker.DockerClient:
    """The engine that `docker` itself would use: DOCKER_HOST, then the current context.

    Where neither names one and Docker's socket is absent, Podman's is taken. *timeout* is in
    seconds, for one answer.

    Raises:
        EnvironmentFailure: no engine answers.
    """
    with engine_trouble("no Docker engine answers (start one, or set DOCKER_HOST)"):
        client = _client(timeout)
        client.ping()
        return client


def _client(timeout: float) -> docker.DockerClient:
    named = os.environ.get("DOCKER_HOST")
    if named:
        _try_socket(named)
        return docker.from_env(timeout=timeout)
    context = docker.ContextAPI.get_current_context()
    if context is not None and context.name != "default":
        _try_socket(context.Host)
        tls = context.TLSConfig or False
        return docker.DockerClient(base_url=context.Host, tls=tls, timeout=timeout)
    address = f"unix://{_local_socket()}"
    _try_socket(address)
    return docker.DockerClient(base_url=address, timeout=timeout)


def _try_socket(address: str) -> None:
    """The client library would leave open the socket on which it finds nobody."""
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(address.removeprefix("unix://"))


def _local_socket() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    sockets = (
        _DOCKER_SOCKET,
        f"{runtime}/docker.sock",
        f"{runtime}/podman/podman.sock",
        "/run/podman/podman.sock",
    )
    return next((path for path in sockets if Path(path).exists()), _DOCKER_SOCKET)


@contextmanager
def engine_trouble(what: str) -> Iterator[None]:
    """Whatever the engine, or the way to it, fails with becomes an EnvironmentFailure."""
    try:
        yield
    except (DockerException, OSError) as error:
        reason = getattr(error, "explanation", None) or error
        line = " ".join(str(reason).split())[:300]
        raise EnvironmentFailure(f"{what}: {line}") from error
