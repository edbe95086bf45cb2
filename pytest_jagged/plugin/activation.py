"""From the command line to open studies, in the controller and in workers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.config import load_study
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.errors import ConfigError, JaggedError
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.study import Study
from pytest_jagged.plugin.session import SESSION, JaggedSession, OpenStudy
from pytest_jagged.plugin.xdist_hooks import check_scheduling

__all__ = ["activate", "activate_worker", "concurrency", "explain_inert", "usage_errors"]

_SETTINGS = pytest.StashKey[dict[Path, StudySettings]]()


@contextmanager
def usage_errors() -> Iterator[None]:
    """Errors of ours become pytest's one-line usage error (exit 4)."""
    try:
        yield
    except JaggedError as error:
        raise pytest.UsageError(f"jagged: {error}") from None


def explain_inert(config: pytest.Config) -> None:
    """The option stands in an ini file or in PYTEST_ADDOPTS, where it does not count."""
    paths = " ".join(f"--jagged-config={path}" for path in config.getoption("jagged_config"))
    config.issue_config_time_warning(
        pytest.PytestConfigWarning(
            "--jagged-config counts only on the command line itself, so that plain pytest never"
            f" runs an agent; type: pytest {paths}"
        ),
        stacklevel=2,
    )


def concurrency(config: pytest.Config) -> int:
    with usage_errors():
        return max(s.session.concurrency for s in _load(config).values())


def activate(config: pytest.Config) -> None:
    """In the controller (or the only process)."""
    with usage_errors():
        settings = _load(config)
        check_scheduling(config)
        reports = config.invocation_params.dir / config.getoption("jagged_reports")
        session = JaggedSession(
            studies=tuple(_open(config, path, s, reports) for path, s in settings.items()),
            reports=reports,
            started=time.time(),
            gates_wanted=not config.getoption("jagged_no_gate"),
        )
        _refuse_later_options(config)
    _install(config, session)
    _collect_studies(config, session)
    if config.getoption("reruns", 0):
        config.issue_config_time_warning(
            pytest.PytestConfigWarning(
                "--reruns repeats failures; measured runs never fail, so that it would only repeat"
                " infrastructure errors, which pytest-jagged does itself"
            ),
            stacklevel=2,
        )


def activate_worker(config: pytest.Config) -> None:
    """In an xdist worker: what the controller found, opened again."""
    given: Mapping[str, Any] = config.workerinput["jagged"]  # type: ignore[attr-defined]
    reports = Path(given["reports"])
    studies = []
    for path in map(Path, given["configs"]):
        settings = load_study(path, runs=given["runs"], budget_usd=given["budget"])
        studies.append(_open(config, path, settings, reports))
    session = JaggedSession(
        studies=tuple(studies),
        reports=reports,
        started=given["started"],
        gates_wanted=False,
        is_worker=True,
        rerun=given["rerun"],
    )
    _install(config, session)
    _collect_studies(config, session)


def _load(config: pytest.Config) -> dict[Path, StudySettings]:
    if _SETTINGS not in config.stash:
        loaded: dict[Path, StudySettings] = {}
        for text in config.getoption("jagged_config"):
            path = _study_path(config, text)
            loaded[path] = load_study(
                path,
                runs=config.getoption("jagged_runs"),
                budget_usd=config.getoption("jagged_budget"),
            )
        names = [settings.name for settings in loaded.values()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(
                f"two studies are called {twice[0]!r} and would share a store; rename one (`name:`)"
            )
        config.stash[_SETTINGS] = loaded
    return config.stash[_SETTINGS]


def _study_path(config: pytest.Config, text: str) -> Path:
    if text == "demo" and not (config.invocation_params.dir / text).exists():
        return Path(str(resources.files("pytest_jagged") / "demo" / "demo.yaml")).resolve()
    return (config.invocation_params.dir / text).resolve()


def _open(config: pytest.Config, path: Path, settings: StudySettings, reports: Path) -> OpenStudy:
    hook = config.hook
    own = hook.pytest_jagged_register_transformations(config=config)
    extensions = Extensions(
        transformations=tuple(t for several in own for t in several),
        make_agent=lambda s: hook.pytest_jagged_make_agent(config=config, settings=s),
        make_provider=lambda s: hook.pytest_jagged_make_environment(config=config, settings=s),
    )
    return OpenStudy(
        _node_id(config, path), path, Study.open(settings, reports, extensions=extensions)
    )


def _node_id(config: pytest.Config, path: Path) -> str:
    """Relative to rootdir; a study outside keeps at least its name."""
    try:
        return path.relative_to(config.rootpath).as_posix()
    except ValueError:
        return path.name


def _install(config: pytest.Config, session: JaggedSession) -> None:
    from pytest_jagged.plugin import fixtures
    from pytest_jagged.plugin.session_hooks import SessionHooks

    for opened in session.studies:
        opened.study.budget.started = session.started
    if not session.is_worker:
        session.rerun = config.getoption("jagged_rerun")
    config.stash[SESSION] = session
    config.pluginmanager.register(fixtures, "jagged-fixtures")
    config.pluginmanager.register(SessionHooks(config, session), "jagged-session")
    if not session.is_worker:
        from pytest_jagged.plugin.xdist_hooks import ControllerHooks

        config.pluginmanager.register(ControllerHooks(config, session), "jagged-controller")


def _collect_studies(config: pytest.Config, session: JaggedSession) -> None:
    """Collect the studies and, only if the user named paths, those too."""
    named = [] if config.args_source is not pytest.Config.ArgsSource.ARGS else list(config.args)
    bases = {(config.invocation_params.dir / a.split("::")[0]).resolve() for a in named}
    missing = [str(o.path) for o in session.studies if o.path not in bases]
    config.args = [*named, *missing]


def _refuse_later_options(config: pytest.Config) -> None:
    if config.getoption("jagged_compare"):
        raise ConfigError("--jagged-compare is not available in this version; compare report.json")
