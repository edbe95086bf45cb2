"""Keys that a study may carry but this version cannot act on: refused, never ignored."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_jagged.contracts.settings import CompletionSettings, StudySettings
from pytest_jagged.yaml_file import Location, YamlFile

__all__ = ["check_availability"]


def check_availability(file: YamlFile, settings: StudySettings) -> None:
    """Raises ConfigError for the first setting that would be without effect."""
    for location, instead in _unavailable(settings):
        raise file.error(location, f"is not available in this version; {instead}")


def _unavailable(settings: StudySettings) -> Iterator[tuple[Location, str]]:
    if settings.environment.backend != "local":
        yield ("environment", "backend"), "use local"
    if settings.sampler.issue_text is not None:
        yield ("sampler", "issue_text"), "remove it"
    if settings.completions != CompletionSettings():
        yield ("completions",), "remove it"
