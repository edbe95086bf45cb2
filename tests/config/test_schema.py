"""Editors that complete a study file by the schema agree with what load_study reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml

from pytest_jagged.__main__ import main
from pytest_jagged.config import load_study, study_json_schema
from pytest_jagged.errors import ConfigError

BASE = "instances: [thing]\n"
ROOT = Path(__file__).parents[2]


def test_each_key_is_described() -> None:
    schema = study_json_schema()
    blocks = {"study": schema, **schema["$defs"]}
    undescribed = [
        f"{name}.{key}"
        for name, block in blocks.items()
        for key, value in block.get("properties", {}).items()
        if not value.get("description")
    ]
    assert undescribed == []


def test_each_key_is_documented() -> None:
    text = (ROOT / "docs" / "study-file.md").read_text("utf-8")
    later = {"CompletionSettings", "ProEntry", "InstanceEntry", "Prices", "ModelSettings"}
    schema = study_json_schema()
    blocks = [schema, *(b for name, b in schema["$defs"].items() if name not in later)]
    keys = {key for block in blocks for key in block.get("properties", {})}
    assert {key for key in keys - {"completions"} if key not in text} == set()


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        BASE + "agent: noop\nmodel: openai/x\n",
        BASE + "agent: {name: command, command: x, options: {pass_env: [A], depth: {b: 1.5}}}\n",
        BASE + "model: {name: x, temperature: 0, prices: {input: 1, output: 2.5}}\n",
        BASE + "conditions: [baseline, perturbed, placebo, perturbed.typos]\n",
        BASE + "session: {deadline: 90m, budget_usd: 5}\n",
        BASE + "session: {deadline: 3600}\n",
        BASE + "sampler: {transformations: [if_else_switcher], n_transformations: 1}\n",
        BASE + "sampler: {transformations: ['mine:a', 'mine:b', if_true_wrapper]}\n",
        BASE + "limits: {steps: null, cost_usd: 1, wall_s: 0.5, idle_s: null}\n",
        BASE + "environment: {memory: null, cpus: 1.5, trusted: true}\n",
        BASE + "gates: [{metric: steps, margin_pct: 5, fail: not_shown_robust}]\n",
        "instances: [{path: thing, ids: [a]}, thing]\n",
    ],
)
def test_what_is_read_is_valid(tmp_path: Path, text: str) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "s.yaml").write_text(text)
    load_study(tmp_path / "s.yaml")
    jsonschema.validate(yaml.safe_load(text), study_json_schema())


@pytest.mark.parametrize(
    "text",
    [
        "runs: 3\n",
        BASE + "run: 3\n",
        BASE + "source: x\n",
        BASE + "runs: '3'\n",
        BASE + "runs: true\n",
        BASE + "runs: 0\n",
        BASE + "seed: -1\n",
        BASE + "agent: 3\n",
        BASE + "agent: {nme: x}\n",
        BASE + "agent: {version: 1.17}\n",
        BASE + "conditions: [based]\n",
        BASE + "conditions: baseline\n",
        BASE + "session: {deadline: 5 hours}\n",
        BASE + "sampler: {transformations: [if_else]}\n",
        BASE + "sampler: {site_fraction: 1.5}\n",
        BASE + "environment: {trusted: 'yes'}\n",
        BASE + "gates: [{metric: stps, margin_pct: 5}]\n",
        BASE + "sampler:\n",
    ],
)
def test_what_is_invalid_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(ConfigError):
        load_study(tmp_path / "s.yaml")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text), study_json_schema())


@pytest.mark.parametrize(
    "study", sorted([*(ROOT / "instances").glob("*.yaml"), *ROOT.glob("pytest_jagged/demo/*.yaml")])
)
def test_shipped_studies_are_valid(study: Path) -> None:
    jsonschema.validate(yaml.safe_load(study.read_text()), study_json_schema())


def test_the_verb_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    printed: Any = yaml.safe_load(capsys.readouterr().out)
    assert printed == study_json_schema()
