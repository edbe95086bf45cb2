"""How SWE-bench tests the projects of its Python data sets, for rows that do not say so.

Commands, installation and parsers are those of swebench 4.1.0, the last version that carried them
(`harness.constants.python`); newer rows have them in their columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

__all__ = ["PROJECTS", "Project", "project_of"]

_EDITABLE = "python -m pip install -e ."
_LOCALE = ("export LANG=en_US.UTF-8", "export LANGUAGE=en_US:en", "export LC_ALL=en_US.UTF-8")
_MAKE_LOCALE = "sed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen"


@dataclass(frozen=True, slots=True)
class Project:
    """`install` is run again at grading time, since some trees are installed as copies or built."""

    parser: str
    command: str = "pytest -rA"
    install: str = _EDITABLE
    setup: tuple[str, ...] = ()


PROJECTS: Mapping[str, Project] = {
    "astropy/astropy": Project("astropy", install="python -m pip install -e .[test] --verbose"),
    "django/django": Project(
        "django", "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1"
    ),
    "marshmallow-code/marshmallow": Project(
        "marshmallow", install="python -m pip install -e '.[dev]'"
    ),
    "matplotlib/matplotlib": Project("matplotlib"),
    "mwaskom/seaborn": Project(
        "seaborn", "pytest --no-header -rA", "python -m pip install -e .[dev]"
    ),
    "pallets/flask": Project("flask"),
    "psf/requests": Project("requests", install="python -m pip install ."),
    "pvlib/pvlib-python": Project("pvlib", install="python -m pip install -e .[all]"),
    "pydata/xarray": Project("xarray"),
    "pydicom/pydicom": Project("pydicom"),
    "pylint-dev/astroid": Project("astroid"),
    "pylint-dev/pylint": Project("pylint"),
    "pytest-dev/pytest": Project("pytest"),
    "pyvista/pyvista": Project("pyvista"),
    "scikit-learn/scikit-learn": Project(
        "scikit", install="python -m pip install -v --no-use-pep517 --no-build-isolation -e ."
    ),
    "sphinx-doc/sphinx": Project(
        "sphinx", "tox --current-env -epy39 -v --", "python -m pip install -e .[test]"
    ),
    "sqlfluff/sqlfluff": Project("sqlfluff"),
    "sympy/sympy": Project(
        "sympy",
        "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose",
    ),
}


def project_of(repo: str, version: str) -> Project | None:
    """None for a project that SWE-bench does not have."""
    project = PROJECTS.get(repo)
    if project is None:
        return None
    number = _number(version)
    if repo == "astropy/astropy" and number < (3, 0):
        return replace(project, command="pytest -rA -vv -o console_output_style=classic --tb=no")
    if repo == "django/django":
        return _django(project, number)
    if repo == "matplotlib/matplotlib" and number < (3, 0):
        return replace(project, install="python setup.py build; python setup.py install")
    if repo == "matplotlib/matplotlib" and number >= (3, 8):
        return replace(project, install='python -m pip install --no-build-isolation -e ".[dev]"')
    if repo == "mwaskom/seaborn" and number < (0, 12):
        return replace(project, install=_EDITABLE)
    return project


def _django(project: Project, number: tuple[int, ...]) -> Project:
    if number == (1, 9):
        project = replace(project, command="./tests/runtests.py --verbosity 2")
    if number < (3, 0):
        project = replace(project, install="python setup.py install")
    if (1, 7) <= number < (3, 0):
        return replace(project, setup=(*_LOCALE, "export PYTHONIOENCODING=utf8"))
    if (3, 0) <= number < (4, 0):
        return replace(project, setup=(_MAKE_LOCALE, *_LOCALE))
    return project


def _number(version: str) -> tuple[int, ...]:
    """`3.10` after `3.9`; an unknown version is taken for the newest."""
    parts = version.removeprefix("v").split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else (9999,)
