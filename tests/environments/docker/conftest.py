"""A small image on a real engine; without both the tests skip and say why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_jagged.contracts.instance import Instance
from pytest_jagged.contracts.settings import EnvironmentSettings
from pytest_jagged.environments.docker.container import Container
from pytest_jagged.environments.docker.engine import connect
from pytest_jagged.environments.docker.environment import DockerEnvironment
from pytest_jagged.errors import EnvironmentFailure
from tests.conftest import MakeInstance

# Debian with git and python3: debootstrap --variant=minbase --include=git,python3,ca-certificates
IMAGE = os.environ.get("JAGGED_TEST_IMAGE", "jagged-base")
SESSION = f"tests-{os.getpid()}"

MakeEnvironment = Callable[..., DockerEnvironment]


@pytest.fixture
def engine() -> Iterator[Any]:
    try:
        client = connect(timeout=60)
    except EnvironmentFailure as error:
        pytest.skip(str(error))
    if not client.images.list(name=IMAGE):
        client.close()
        pytest.skip(f"the engine has no image {IMAGE}; import one or set JAGGED_TEST_IMAGE")
    yield client
    client.close()


@pytest.fixture
def make_environment(engine: Any, make_instance: MakeInstance) -> Iterator[MakeEnvironment]:
    made: list[Container] = []

    def make(instance: Instance | None = None, **settings: Any) -> DockerEnvironment:
        chosen = EnvironmentSettings(backend="docker", **settings)
        container = Container(engine, IMAGE, chosen, {"jagged.session": SESSION})
        made.append(container)
        instance = instance or make_instance(interpreter="python3")
        return DockerEnvironment(container, instance, chosen.network)

    yield make
    for container in made:
        container.remove()
    assert not engine.containers.list(all=True, filters={"label": f"jagged.session={SESSION}"})
