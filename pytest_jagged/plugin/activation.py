"""From the command line to open studies, in the controller and in workers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.config import load_study
from pytest_jagged.contracts.settings import StudySettings
from pytest_jagged.errors import ConfigError
from pytest_jagged.execution.extensions import Extensions
from pytest_jagged.execution.study import Study
from pytest_jagged.plugin.inert import warn_once
from pytest_jagged.plugin.options import DEFAULT_REPORTS, studies_on_command_line
from pytest_jagged.plugin.session import SESSION, JaggedSession, OpenStudy, names_of
from pytest_jagged.plugin.usage import usage_errors
from pytest_jagged.plugin.xdist_hooks import check_scheduling
from pytest_jagged.staging import stages_from_plain

__all__ = ["activate", "activate_worker", "concurrency"]

# Options of pytest's that show something and run nothing.
_DRY = ("collectonly", "setupplan", "showfixtures", "show_fixtures_per_test", "cacheshow")
_SETTINGS = pytest.StashKey[dict[Path, StudySettings]]()


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
            studies=_with_earlier(
                config, _open_all(config, settings, reports, _run_options(config, reports))
            ),
            reports=reports,
            started=time.time(),
            gates_wanted=not config.getoption("jagged_no_gate"),
            dry=any(getattr(config.option, name, False) for name in _DRY),
            rerun=config.getoption("jagged_rerun"),
        )
        _refuse_unknown_rerun(session)
    _install(config, session)
    if config.getoption("reruns", 0):
        warn_once(
            config,
            "--reruns repeats failures; measured runs never fail, so that it would only repeat"
            " infrastructure errors, which pytest-jagged does itself",
        )


def activate_worker(config: pytest.Config) -> None:
    """In an xdist worker: what the controller found, opened again."""
    given: Mapping[str, Any] = config.workerinput["jagged"]  # type: ignore[attr-defined]
    reports = Path(given["reports"])
    settings = {
        path: load_study(path, runs=given["runs"], budget_usd=given["budget"])
        for path in map(Path, given["configs"])
    }
    session = JaggedSession(
        studies=_open_all(config, settings, reports, tuple(given["options"])),
        reports=reports,
        started=given["started"],
        gates_wanted=False,
        is_worker=True,
        rerun=given["rerun"],
    )
    for opened, stages in zip(session.studies, given["stages"], strict=True):
        if stages:
            opened.study.enter(stages_from_plain(stages))
    _install(config, session)


def _load(config: pytest.Config) -> dict[Path, StudySettings]:
    if _SETTINGS not in config.stash:
        loaded: dict[Path, StudySettings] = {}
        for text in studies_on_command_line(config):
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
    return (config.invocation_params.dir / Path(text).expanduser()).resolve()


def _run_options(config: pytest.Config, reports: Path) -> tuple[str, ...]:
    """What a command must repeat to find the same runs in the same store."""
    options = []
    if config.getoption("jagged_runs") is not None:
        options.append(f"--jagged-runs={config.getoption('jagged_runs')}")
    if config.getoption("jagged_reports") != DEFAULT_REPORTS:
        options.append(f"--jagged-reports={reports}")
    return tuple(options)


def _open_all(
    config: pytest.Config,
    settings: Mapping[Path, StudySettings],
    reports: Path,
    options: tuple[str, ...],
) -> tuple[OpenStudy, ...]:
    extensions = _extensions(config)
    node_ids = _node_ids(config, tuple(settings))
    return tuple(
        OpenStudy(node_ids[path], path, Study.open(given, reports, extensions=extensions), options)
        for path, given in settings.items()
    )


def _extensions(config: pytest.Config) -> Extensions:
    hook = config.hook
    own = hook.pytest_jagged_register_transformations(config=config)
    return Extensions(
        transformations=tuple(t for several in own for t in several),
        make_agent=lambda s: hook.pytest_jagged_make_agent(config=config, settings=s),
        make_provider=lambda s: hook.pytest_jagged_make_environment(config=config, settings=s),
    )


def _node_ids(config: pytest.Config, paths: tuple[Path, ...]) -> dict[Path, str]:
    """Relative to rootdir; of a study outside its name, with the folders that tell it apart."""
    root = config.rootpath.resolve()
    found = {p: p.relative_to(root).as_posix() for p in paths if p.is_relative_to(root)}
    for path in paths:
        depth = 1
        while path not in found:
            name = "/".join(path.parts[-depth:])
            others = [other for other in paths if other != path]
            if not any(f"/{other.as_posix()}".endswith(f"/{name}") for other in others):
                found[path] = name
            depth += 1
    return found


def _install(config: pytest.Config, session: JaggedSession) -> None:
    from pytest_jagged.plugin import fixtures
    from pytest_jagged.plugin.session_hooks import SessionHooks

    for opened in session.studies:
        opened.study.budget.started = session.started
    config.stash[SESSION] = session
    config.pluginmanager.register(fixtures, "jagged-fixtures")
    config.pluginmanager.register(SessionHooks(config, session), "jagged-session")
    if not session.is_worker:
        from pytest_jagged.plugin.xdist_hooks import ControllerHooks

        config.pluginmanager.register(ControllerHooks(config, session), "jagged-controller")
    _collect_studies(config, session)


def _collect_studies(config: pytest.Config, session: JaggedSession) -> None:
    """Collect the studies and, only if the user named paths, those too."""
    named = [] if config.args_source is not pytest.Config.ArgsSource.ARGS else list(config.args)
    bases = {(config.invocation_params.dir / a.split("::")[0]).resolve() for a in named}
    missing = [str(o.path) for o in session.studies if o.path not in bases]
    config.args = [*named, *missing]


def _with_earlier(config: pytest.Config, studies: tuple[OpenStudy, ...]) -> tuple[OpenStudy, ...]:
    """Each with the report it is to be compared with, read now: this session may replace it."""
    given = config.getoption("jagged_compare")
    if given is None:
        return studies
    from pytest_jagged.reporting.comparison import read_earlier

    path = config.invocation_params.dir / Path(given).expanduser()
    if len(studies) > 1 and (path.is_file() or (path / "report.json").exists()):
        raise ConfigError(
            f"--jagged-compare: {given} is one report, the session has {len(studies)} studies; name"
            " a folder that holds STUDY/report.json for each"
        )
    return tuple(
        replace(opened, earlier=read_earlier(path, opened.study.name)) for opened in studies
    )


def _refuse_unknown_rerun(session: JaggedSession) -> None:
    """Each word must name something: a typing error must not pass as "nothing to run again"."""
    staged = [o.study.name for o in session.studies if o.study.settings.session.staged]
    if staged and session.rerun_words:
        raise ConfigError(
            f"--jagged-rerun: study {staged[0]} is staged; its later stages follow from the"
            " outcomes of earlier ones, which must stay (infra alone may be named)"
        )
    cases = [case for opened in session.studies for case in opened.study.cases]
    for word in session.rerun_words:
        if not any(word in names_of(case) for case in cases):
            raise ConfigError(
                f"--jagged-rerun: no instance or run is called {word!r}; name an instance id, an"
                " item such as 'ID::perturbed[v01]', or infra"
            )
