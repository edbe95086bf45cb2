"""Where the engine is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jagged.environments.docker.engine import connect
from pytest_jagged.errors import EnvironmentFailure


def test_no_engine_is_one_line_of_infrastructure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(EnvironmentFailure, match="DOCKER_HOST") as caught:
        connect(timeout=5)
    assert "\n" not in str(caught.value)
