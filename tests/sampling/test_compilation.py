from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.errors import EnvironmentFailure
from pytest_jagged.sampling.compilation import compile_fault
from tests.sampling.repository import make_instance

GOOD = FileEdit("good.py", b"import re\nx = '\\d'\n")  # the invalid escape only warns
BAD = FileEdit("pkg/bad.py", b"def f():\n    global x\n    x = 1\n    global x\nx = = 1\n")
MATCH = FileEdit("match.py", b"match x:\n    case 1:\n        pass\n")


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path)


def foreign(instance: Instance) -> Instance:
    """As if the instance's Python were another one: this interpreter, asked in a process."""
    return replace(instance, python_version=(3, 4))


def remote(instance: Instance) -> Instance:
    """The interpreter is in an image, not on this machine."""
    return replace(instance, python_version=(3, 8), interpreter="/opt/none/bin/python")


def test_good_files_compile(instance: Instance) -> None:
    for each in (instance, foreign(instance), remote(instance)):
        assert compile_fault(each, (GOOD,)) is None
        assert compile_fault(each, ()) is None


def test_what_does_not_compile_is_named(instance: Instance) -> None:
    for each in (instance, foreign(instance), remote(instance)):
        fault = compile_fault(each, (GOOD, BAD))
        assert fault is not None
        assert fault.startswith("pkg/bad.py does not compile: SyntaxError")


def test_other_files_are_not_compiled(instance: Instance) -> None:
    assert compile_fault(instance, (FileEdit("data.txt", b"x = = 1"),)) is None


def test_syntax_that_only_a_newer_python_has_is_found(instance: Instance) -> None:
    assert compile_fault(instance, (MATCH,)) is None
    assert "match.py" in (compile_fault(remote(instance), (MATCH,)) or "")


def test_an_interpreter_that_cannot_run_is_infrastructure_trouble(
    instance: Instance, tmp_path: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(EnvironmentFailure, match="cannot compile files"):
        compile_fault(replace(foreign(instance), interpreter=str(broken)), (GOOD,))


def test_this_pythons_own_rules_hold(instance: Instance) -> None:
    late = FileEdit("late.py", b"def f():\n    x = 1\n    global x\n")
    assert instance.python_version == sys.version_info[:2]
    assert "assigned to before global" in (compile_fault(instance, (late,)) or "")
