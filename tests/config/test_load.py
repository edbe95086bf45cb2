"""A study file is either read as meant or refused in one line that says where and how to fix it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jagged.config import (
    TRANSFORMATION_NAMES,
    load_study,
    settings_from_json,
    settings_to_json,
    study_json_schema,
)
from pytest_jagged.contracts.settings import FailWhen, GateMetric, InstanceEntry, StudySettings
from pytest_jagged.errors import ConfigError

BASE = "instances: [{path: thing}]\n"
# Aliases of aliases: 10 ** 9 parts in a few lines.
LAUGHS = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + last] * 10)}]\n"
    for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "thing").mkdir()
    return tmp_path


def load(folder: Path, text: str) -> object:
    path = folder / "mine.yaml"
    path.write_text(text, "utf-8")
    return load_study(path)


def test_defaults_are_the_papers(folder: Path) -> None:
    (folder / "mine.yaml").write_text(BASE)
    study = load_study(folder / "mine.yaml")
    assert study.name == "mine"
    assert study.runs == 20
    assert study.conditions == ("baseline", "perturbed")
    assert study.sampler.transformations == "all"
    assert (study.sampler.n_transformations, study.sampler.n_keywords) == (3, 5)
    assert (study.sampler.n_files, study.sampler.site_fraction) == (10, 0.7)
    assert (study.statistics.resamples, study.statistics.confidence) == (20000, 0.95)
    assert study.instances[0].path == folder / "thing"
    assert study.source == folder / "mine.yaml"


def test_short_forms(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        "instances: [thing]\nagent: noop\nmodel: openai/x\nsession: {deadline: 5h}\n"
        "gates: [{metric: mean_degradation, margin_pp: 5}]\n"
    )
    study = load_study(folder / "mine.yaml", runs=3, budget_usd=7.5)
    assert study.agent.name == "noop"
    assert study.model is not None
    assert study.model.name == "openai/x"
    assert study.session.deadline == 5 * 3600
    assert study.session.budget_usd == 7.5
    assert study.runs == 3
    assert study.gates[0].metric is GateMetric.MEAN_DEGRADATION
    assert study.gates[0].fail is FailWhen.DEGRADED


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        (BASE + "sesion: {}\n", 2, ["sesion", "unknown key", "'session'"]),
        (BASE + "source: x\n", 2, ["source", "unknown key"]),
        (BASE + "runs: 2\nsampler:\n  n_file: 3\n", 4, ["sampler.n_file", "'n_files'"]),
        (BASE + "agent: {name: 3.10}\n", 2, ["agent.name", "float 3.1", "quotes"]),
        (BASE + "agent: {version: 2024-01-02}\n", 2, ["agent.version", "date", "quotes"]),
        (BASE + "name: no\n", 2, ["name", "bool False", "quotes"]),
        ("instances: [{pth: thing}]\n", 1, ["instances.0.pth", "'path'"]),
        ("instances: [{path: nothing}]\n", 1, ["instances.0.path", "no folder"]),
        ("instances: []\n", 1, ["instances", "empty"]),
        ("runs: 2\n", 1, ["instances", "missing"]),
        (BASE + "runs: 0\n", 2, ["runs", "greater than or equal to 1"]),
        (BASE + "sampler: {site_fraction: 1.5}\n", 2, ["site_fraction", "1.5"]),
        (BASE + "environment: {backend: dokcer}\n", 2, ["backend", "'docker'"]),
        (BASE + "conditions: [base]\n", 2, ["conditions.0", "'baseline'"]),
        (BASE + "conditions: [baseline, baseline]\n", 2, ["conditions", "twice"]),
        (BASE + "sampler: {transformations: [if_else_swicher]}\n", 2, ["'if_else_switcher'"]),
        (BASE + "sampler: {n_transformations: 15}\n", 2, ["pool of 14"]),
        (BASE + "runs: 3\nsampler: {runs_per_variant: 2}\n", 3, ["runs_per_variant", "multiple"]),
        (BASE + "gates: [{metric: mean_degradation}]\n", 2, ["needs margin_pp"]),
        (BASE + "environment: {backend: docker}\n", 2, ["backend", "not available"]),
        (BASE + "runs: 3\nsession: {staged: true}\n", 3, ["staged", "runs: 4 at least"]),
        (BASE + "session: {on_quota: wait}\n", 2, ["on_quota", "not a choice", "pause"]),
        (BASE + "sampler: {keywords: {source: model}}\n", 2, ["keywords", "no model to ask"]),
        (BASE + "sampler: {issue_text: typos}\n", 2, ["issue_text", "not available"]),
        (BASE + "gates: [{metric: steps, margin_pp: 1}]\n", 2, ["margin_pct"]),
        (BASE + "gates: [{metric: degradation, margin_pp: 1}]\n", 2, ["'mean_degradation'"]),
        (BASE + "runs: 1\nruns: 2\n", 3, ["runs", "named twice"]),
        (BASE + "runs: true\n", 2, ["runs", "whole number", "True"]),
        (BASE + "runs: '20'\n", 2, ["runs", "whole number", "'20'"]),
        (BASE + "runs: 2.5\n", 2, ["runs", "whole number"]),
        (BASE + "runs: 1000000\n", 2, ["runs", "100000"]),
        (BASE + "sampler:\n", 2, ["sampler", "is empty", "mapping"]),
        (BASE + "session: 5\n", 2, ["session", "mapping", "not 5"]),
        (BASE + "conditions: baseline\n", 2, ["conditions", "list", "'baseline'"]),
        (BASE + "conditions: [baseline, 'baseline.']\n", 2, ["conditions.1", "label"]),
        (BASE + "conditions: [perturbed.a/b]\n", 2, ["conditions.0", "'a/b' is no label"]),
        (BASE + "conditions: ['perturbed.[x]']\n", 2, ["conditions.0", "label"]),
        (BASE + 'name: "a\\n"\n', 2, ["name", "folder"]),
        (BASE + f"name: {'x' * 300}\n", 2, ["name", "100 letters"]),
        (BASE + "limits: {wall_s: .inf}\n", 2, ["limits.wall_s", "no usable number"]),
        (BASE + "limits: {wall_s: 1h}\n", 2, ["limits.wall_s", "number of seconds"]),
        (BASE + "session: {deadline: 5 hours}\n", 2, ["session.deadline", "5h or 90m"]),
        (BASE + "gates: [{metric: steps, margin_pct: .nan}]\n", 2, ["gates.0.margin_pct"]),
        (BASE + "gates: [{metric: steps, margin_pct: -1}]\n", 2, ["negative"]),
        (BASE + "gates: {metric: steps}\n", 2, ["gates", "must be a list"]),
        (BASE + "agent:\n  name: command\n  options: {a: 2024-01-01}\n", 4, ["date", "quotes"]),
        (BASE + "agent:\n  options: {a: !!set {b}}\n", 3, ["agent.options.a", "set"]),
        (BASE + "agent: {options: {1: x}}\n", 2, ["agent.options.1", "key as int", "quotes"]),
        (BASE + "yes: x\n", 2, ["yes", "key as bool", "quotes"]),
        (BASE + 'agent: {name: "\\ud800"}\n', 2, ["agent.name", "half a character"]),
        (BASE + "environment: {trusted: 'yes'}\n", 2, ["trusted", "true or false"]),
        (BASE + "environment: {network: no}\n", 2, ["network", "bool False", "quotes"]),
        (BASE + "model: {name: x, prices: {input: 1}}\n", 2, ["model.prices.output", "missing"]),
        (BASE + "completions: {k: [0]}\n", 2, ["completions.k.0", "1"]),
        (BASE + "completions: {samples: 2}\n", 2, ["completions", "not available"]),
        ("instances: thing\n", 1, ["instances", "must be a list"]),
        ("instances: [{path: ~nobody-of-that-name/x}]\n", 1, ["no folder"]),
        ("instances: [{path: 5}]\n", 1, ["instances.0.path", "int 5", "quotes"]),
        ("a: &a [*a]\n", 1, ["alias holds itself"]),
        ("a: " + "[" * 500 + "\n", 1, ["nested too deeply"]),
        (LAUGHS, 6, ["fewer aliases"]),
        ("a: !!python/object:os.system {}\n", 1, ["not valid YAML"]),
        ("a: 1\n---\nb: 2\n", 2, ["not valid YAML"]),
        ("a: [\n", 2, ["not valid YAML"]),
        ("- a\n", 1, ["mapping"]),
        ("", 1, ["mapping"]),
    ],
)
def test_errors_say_where_and_how(folder: Path, text: str, line: int, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'mine.yaml'}:{line}: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_aliases_stand_for_what_they_name(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        "instances: &all\n- &one {path: thing}\n"
        "gates:\n- &gate {metric: mean_degradation, margin_pp: 5}\n"
        "- {<<: *gate, population: mutated}\n"
    )
    study = load_study(folder / "mine.yaml")
    assert [(gate.margin_pp, gate.population) for gate in study.gates] == [
        (5, "all"),
        (5, "mutated"),
    ]


@pytest.mark.parametrize("text", ["session: 5\n", "session: [a]\n", "session:\n"])
def test_an_option_hides_no_error_of_the_file(folder: Path, text: str) -> None:
    (folder / "mine.yaml").write_text(BASE + text)
    with pytest.raises(ConfigError, match=r"mine\.yaml:2: session"):
        load_study(folder / "mine.yaml", budget_usd=3)


def test_paths_are_taken_from_the_file_not_from_where_one_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine.yaml").write_text(BASE + "agent: {name: noop, prompt: p.md}\n")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    study = load_study(Path("../mine.yaml"))
    assert study.instances[0].path == folder / "thing"
    assert study.agent.prompt == folder / "p.md"
    assert study.source == folder / "mine.yaml"


def test_a_byte_order_mark_and_windows_lines_are_read(folder: Path) -> None:
    (folder / "mine.yaml").write_bytes(b"\xef\xbb\xbf" + (BASE + "runs: 3\n").encode() + b"\r\n")
    assert load_study(folder / "mine.yaml").runs == 3


def test_unreadable_files(folder: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_study(folder / "absent.yaml")
    with pytest.raises(ConfigError, match="is a folder"):
        load_study(folder)
    (folder / "latin.yaml").write_bytes("name: é\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_study(folder / "latin.yaml")


def test_settings_survive_json(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        BASE
        + "gates: [{metric: cost, margin_pct: 5}]\n"
        + "model: {name: m, prices: {input: 1, output: 2}}\n"
    )
    study = load_study(folder / "mine.yaml")
    assert settings_from_json(json.loads(json.dumps(settings_to_json(study)))) == study


def test_the_schema_names_every_block_and_short_form() -> None:
    schema = study_json_schema()
    json.dumps(schema)
    assert "source" not in schema["properties"]
    assert {"type": "string"} in schema["properties"]["agent"]["anyOf"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) >= {"instances", "sampler", "limits", "session", "gates"}


def test_the_catalogue_names_are_those_of_the_transformations() -> None:
    from pytest_jagged import transforms

    assert set(transforms.catalogue()) <= set(TRANSFORMATION_NAMES)


def test_a_default_written_out_is_the_same_study() -> None:
    """Record keys are digests of the settings' JSON, where 60 and 60.0 differ."""
    settings = StudySettings(instances=(InstanceEntry(path=Path("/x")),))
    plain = settings_to_json(settings)
    assert json.dumps(settings_to_json(settings_from_json(plain))) == json.dumps(plain)
