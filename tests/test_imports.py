"""Imports point downwards only, and each third-party edge stays in its room (design section 3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_jagged

PACKAGE = Path(pytest_jagged.__file__).parent
TIER = {
    "errors": 0,
    "contracts": 1,
    "language_models": 2,
    "secret_values": 2,
    "yaml_file": 2,
    "unified_diff": 2,
    "transforms": 3,
    "prompts": 3,
    "environments": 3,
    "instances": 3,
    "records": 3,
    "config": 3,
    "staging": 3,
    "metering": 3,
    "plan": 4,
    "sampling": 5,
    "agents": 5,
    "evaluation": 5,
    "statistics": 5,
    "reporting": 6,
    "execution": 7,
    "commands": 8,
    "plugin": 8,
    "demo": 8,
    "__main__": 9,
    "__init__": 0,
}
EDGE = {
    "pytest": ("plugin", "grading_plugin"),
    "_pytest": ("plugin",),
    "xdist": ("plugin",),
    "docker": ("environments/docker",),
    "litellm": ("language_models", "agents/mini_driver"),
    "minisweagent": ("agents/mini_driver",),
    "libcst": ("transforms", "prompts"),
    "astroid": ("transforms/inference",),
    "nltk": ("transforms/synonyms", "prompts"),
    "numpy": ("statistics",),
    "scipy": ("statistics",),
    "pydantic": ("config",),
    "swebench": ("evaluation/log_parsers/swebench_process",),
    "pyarrow": ("instances/swebench",),
}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == "pytest_jagged":
                yield from (f"pytest_jagged.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    room = _room(path)
    for name in _imports(path):
        parts = name.split(".")
        if parts[0] != "pytest_jagged" or len(parts) == 1:
            continue
        other = parts[1]
        if other in (room, "__version__"):
            continue
        assert TIER[other] < TIER[room], f"{room} imports {name}"


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_third_party_edges(path: Path) -> None:
    relative = path.relative_to(PACKAGE).as_posix()
    if "demo/instance" in relative:
        pytest.skip("the packaged toy repository, not the program")
    for name in _imports(path):
        rooms = EDGE.get(name.split(".")[0])
        if rooms is not None:
            assert any(room in relative for room in rooms), f"{relative} imports {name}"
