"""A model is asked once; what it said, or that it failed, is the same for every later session."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.settings import (
    InstanceEntry,
    KeywordSettings,
    ModelSettings,
    SamplerSettings,
    StudySettings,
)
from pytest_jagged.execution.model_keywords import keyword_model
from tests.agents.scripted_model import Call, Fault, Scenario, ScriptedModel, scripted_model
from tests.plugin.conftest import Study

NAMED = Call("report_keywords", {"methods": ["counting.label", "summarise"], "literals": ["-3"]})


@pytest.fixture(autouse=True)
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_KEY", "play")
    # Answers of other tests are in the cache that all sessions share.
    monkeypatch.setenv("JAGGED_CACHE", str(tmp_path / "cache"))


def write(study: Study, model: ScriptedModel, name: str, file: str = "mine") -> Path:
    return study(
        file,
        agent="noop",
        model={"name": name, "api_base": model.url, "api_key_env": "SCRIPTED_KEY"},
        sampler={"n_transformations": 1, "keywords": {"source": "model"}},
        runs=1,
    )


def prepare(pytester: pytest.Pytester, path: Path) -> str:
    done = pytester.run(sys.executable, "-m", "pytest_jagged", "prepare", path, timeout=120)
    assert done.ret == 0
    return done.stderr.str()


def keywords(pytester: pytest.Pytester, study: str = "mine") -> Any:
    path = pytester.path / "reports" / study / "keywords" / "alpha.json"
    return json.loads(path.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openai/m", "anthropic/claude-m"])
def test_one_request_serves_all_studies(pytester: pytest.Pytester, study: Study, name: str) -> None:
    with scripted_model(play=Scenario((NAMED,))) as model:
        said = [
            prepare(pytester, write(study, model, name)),
            prepare(pytester, write(study, model, name)),
            prepare(pytester, write(study, model, name, file="other")),
        ]
    # `summarise` is no word of the issue.
    expected = {"methods": ["label"], "literals": ["-3"], "failure": ""}
    assert keywords(pytester) == keywords(pytester, "other") == expected
    (request,) = model.requests
    assert request.body["temperature"] == 0
    assert "label says" in str(request.body["messages"])
    assert "keywords by" not in "".join(said)


@pytest.mark.slow
def test_a_failure_falls_back_to_the_rules_and_is_said(
    pytester: pytest.Pytester, study: Study
) -> None:
    refused = Fault(401, "invalid_api_key", "no", times=0)
    with scripted_model(play=Scenario((Call("x", {}, faults=(refused,)),))) as model:
        first = prepare(pytester, write(study, model, "openai/m"))
    found = keywords(pytester)
    # The instance's own list, which the offline rules prefer.
    assert (found["methods"], found["literals"]) == (["total"], ["many things"])
    assert "alpha: keywords by offline rules: the model failed: openai/m: Auth" in first
    with scripted_model(play=Scenario((NAMED,))) as model:
        # The study has begun with these; another answer would change its variants.
        again = prepare(pytester, write(study, model, "openai/m"))
    assert model.requests == []
    assert keywords(pytester) == found
    assert "keywords by offline rules" in again


def test_whom_to_ask() -> None:
    asked = KeywordSettings(source="model", model="anthropic/other")
    own = ModelSettings("openai/m", api_base="http://host/v1")
    entries = (InstanceEntry(path=Path()),)
    plain = StudySettings(entries, model=own)
    assert keyword_model(plain) == own
    other = StudySettings(entries, model=own, sampler=SamplerSettings(keywords=asked))
    assert keyword_model(other) == ModelSettings("anthropic/other")
