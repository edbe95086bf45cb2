"""Interpreters of instances and what is installed beside them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.host_python import HostPython, find_python
from pytest_jagged.instances.pip import find_installer, find_pip, run_pip
from pytest_jagged.instances.virtual_environment import prepare_interpreter, requirement_name
from tests.instances.folders import make_wheel

RUNNING = "{}.{}".format(*sys.version_info[:2])


@pytest.fixture
def python() -> HostPython:
    return find_python(f"=={RUNNING}.*")


def test_running_interpreter_where_it_fits(python: HostPython) -> None:
    assert find_python(">=3.10") == python
    assert python.version == sys.version_info[:3]
    assert python.minor == sys.version_info[:2]
    done = subprocess.run(
        [python.path, "-c", "import sys; print(sys.prefix == sys.base_prefix)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True\n"


def test_another_interpreter_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What matters is the answer of the program, not its name."""
    answer = '["/opt/strange/python", [3, 99, 1]]'
    script = tmp_path / "python3"
    script.write_text(f"#!/bin/sh\necho '{answer}'\n")
    script.chmod(0o755)
    broken = tmp_path / "python3.20"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    assert find_python("==3.99.*") == HostPython(Path("/opt/strange/python"), (3, 99, 1))
    with pytest.raises(InstanceError, match=r"no interpreter fits '==3\.98\.\*'") as caught:
        find_python("==3.98.*")
    assert "3.99.1" in str(caught.value)


def test_managed_interpreters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("3.99.1", "3.99.10"):
        folder = tmp_path / "versions" / version / "bin"
        folder.mkdir(parents=True)
        numbers = version.replace(".", ", ")
        (folder / "python3").write_text(f"#!/bin/sh\necho '[\"/{version}\", [{numbers}]]'\n")
        (folder / "python3").chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert find_python("==3.99.*").version == (3, 99, 10)


def test_environment_has_the_packages_and_nothing_of_ours(
    python: HostPython, index: Path, cache: Path
) -> None:
    make_wheel(index, "helper", "1.0", {"helper.py": "x = 1\n"})
    lines: list[str] = []
    made = prepare_interpreter(python, ["helper"], None, cache, lines.append)
    again = prepare_interpreter(python, ["helper"], None, cache, lines.append)
    assert made == again
    assert lines == [f"making a Python {RUNNING} environment with helper"]
    code = (
        "import importlib.util as u, helper;"
        "print([n for n in ('pytest', 'pip', 'pytest_jagged', 'yaml') if u.find_spec(n)])"
    )
    done = subprocess.run([made, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_packages_are_installed_here_whatever_the_user_has_set(
    python: HostPython,
    index: Path,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wheel = make_wheel(index, "helper", "1.0", {"helper.py": "x = 1\n"})
    elsewhere = tmp_path / "elsewhere"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(elsewhere)
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    monkeypatch.setenv("PIP_USER", "1")
    made = prepare_interpreter(python, ["helper"], None, cache, print)
    subprocess.run([made, "-I", "-c", "import helper"], check=True)


def test_other_packages_make_another_environment(
    python: HostPython, index: Path, cache: Path
) -> None:
    make_wheel(index, "helper", "1.0", {"helper.py": "x = 1\n"})
    plain = prepare_interpreter(python, [], None, cache, print)
    assert plain != prepare_interpreter(python, ["helper"], None, cache, print)


def test_half_made_environment_is_made_anew(python: HostPython, index: Path, cache: Path) -> None:
    with pytest.raises(InstanceError):
        prepare_interpreter(python, ["helper"], None, cache, print)
    make_wheel(index, "helper", "1.0", {"helper.py": "x = 1\n"})
    made = prepare_interpreter(python, ["helper"], None, cache, print)
    subprocess.run([made, "-c", "import helper"], check=True)


@pytest.mark.usefixtures("index")
def test_failing_pip_is_one_line(python: HostPython, cache: Path) -> None:
    with pytest.raises(InstanceError) as caught:
        prepare_interpreter(python, ["no-such-thing"], None, cache, print)
    assert str(caught.value) == "test_deps: No matching distribution found for no-such-thing"


def test_own_package_is_refused_however_it_comes(
    python: HostPython, index: Path, cache: Path
) -> None:
    make_wheel(index, "My_Calc", "1.0", {"calc.py": "x = 1\n"})
    requires = {"plugin-1.0.dist-info/REQUIRES": "Requires-Dist: my-calc\n"}
    make_wheel(index, "plugin", "1.0", {"plugin.py": "x = 1\n", **requires})
    with pytest.raises(InstanceError, match="test_deps: plugin install my-calc itself"):
        prepare_interpreter(python, ["plugin"], "my-calc", cache, print)
    assert prepare_interpreter(python, ["plugin"], "other", cache, print).exists()


def test_configuration_of_the_running_environment_counts(
    python: HostPython, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip reads `pip.conf` of the environment it runs in; ours runs for another one."""
    own = tmp_path / "own"
    make_wheel(own / "files", "helper", "1.0", {"helper.py": "x = 1\n"})
    (own / "pip.conf").write_text(f"[global]\nno-index = true\nfind-links = {own}/files\n")
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "prefix", str(own))
    made = prepare_interpreter(python, ["helper"], None, cache, print)
    subprocess.run([made, "-c", "import helper"], check=True)
    assert not (made.parent.parent / "pip.conf").exists()


def test_bundled_pip_installs_too(
    python: HostPython, index: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment without pip (as uv makes them) falls back on the wheel inside Python."""
    from pytest_jagged.instances import pip as module

    monkeypatch.setattr(module, "_own_version", lambda: None)
    made = prepare_interpreter(python, [], None, cache, print)
    pip = find_installer(made)
    if not pip.variables:
        pytest.skip("this Python has no bundled pip")
    make_wheel(index, "helper", "1.0", {"helper.py": "x = 1\n"})
    run_pip(pip, ["install", "--quiet", "helper"], "test_deps")
    subprocess.run([made, "-c", "import helper"], check=True)
    assert find_pip().variables["PYTHONPATH"].endswith(".whl")


@pytest.mark.parametrize(
    ("requirement", "name"),
    [
        ("pytest>=8", "pytest"),
        ("My_Pkg.x[extra]==1", "my-pkg-x"),
        ("  a ; python_version > '3'", "a"),
    ],
)
def test_requirement_name(requirement: str, name: str) -> None:
    assert requirement_name(requirement) == name
