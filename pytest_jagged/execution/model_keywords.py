"""Keywords of a study that asks a model: once, and the same for all workers and sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jagged import instances
from pytest_jagged.contracts.instance import Instance, Keywords
from pytest_jagged.contracts.settings import ModelSettings, StudySettings
from pytest_jagged.errors import ModelServiceFailure, StoreError
from pytest_jagged.instances.cache import cache_lock
from pytest_jagged.language_models import fill_form
from pytest_jagged.records.atomic import write_json
from pytest_jagged.records.store import folder_name
from pytest_jagged.sampling.keywords import keywords_for
from pytest_jagged.sampling.model_keywords import FORM, PROMPT, check_keywords, request_digest

__all__ = ["keyword_model", "model_keywords"]


@dataclass(frozen=True, slots=True)
class _Found:
    """`failure` is empty where the model answered."""

    keywords: Keywords
    failure: str


def keyword_model(settings: StudySettings) -> ModelSettings:
    """The model that `sampler.keywords` names, else the one under test."""
    name, own = settings.sampler.keywords.model, settings.model
    if own is not None and name in (None, own.name):
        return own
    assert name is not None  # the study file was refused otherwise
    return ModelSettings(name)


def model_keywords(
    instance: Instance, settings: StudySettings, root: Path, progress: Callable[[str], None]
) -> Keywords:
    """What this study uses, kept in its folder: a later session has the same variants.

    Where the model fails or gives nothing usable, the offline rules take its place, which is said
    each time; remove the file to ask again.
    """
    path = root / "keywords" / f"{folder_name(instance.id)}.json"
    with cache_lock(path):
        found = _read(path)
        if found is None:
            found = _find(instance, keyword_model(settings))
            _write(path, found)
    if found.failure:
        progress(f"{instance.id}: keywords by offline rules: {found.failure}")
    return found.keywords


def _find(instance: Instance, model: ModelSettings) -> _Found:
    try:
        answer = _ask_once(instance, model)
        keywords, _ = check_keywords(answer, instance.problem_statement)
    except ModelServiceFailure as error:
        return _Found(keywords_for(instance), f"the model failed: {error}")
    if not keywords.methods and not keywords.literals:
        return _Found(keywords_for(instance), f"{model.name} named nothing usable")
    return _Found(keywords, "")


def _ask_once(instance: Instance, model: ModelSettings) -> dict[str, Any]:
    """The raw answer, cached for all studies of this model and issue; failures are not."""
    issue = instance.problem_statement
    digest = request_digest(model.name, issue)
    path = instances.cache_root() / "keywords" / f"{digest}.json"
    with cache_lock(path):
        if path.exists():
            cached: dict[str, Any] = json.loads(path.read_text("utf-8"))["answer"]
            return cached
        answer = fill_form(model, PROMPT, issue, name="report_keywords", schema=FORM)
        write_json(path, {"model": model.name, "answer": answer})
    return answer


def _read(path: Path) -> _Found | None:
    try:
        value = json.loads(path.read_text("utf-8"))
        keywords = Keywords(tuple(value["methods"]), tuple(value["literals"]))
        return _Found(keywords, value["failure"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}: cannot be read ({error}); remove the file") from None


def _write(path: Path, found: _Found) -> None:
    keywords = found.keywords
    write_json(
        path,
        {
            "methods": list(keywords.methods),
            "literals": list(keywords.literals),
            "failure": found.failure,
        },
    )
