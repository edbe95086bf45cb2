"""A model service that plays scripts: OpenAI chat, OpenAI responses and Anthropic messages."""

from __future__ import annotations

from tests.agents.scripted_model.scenario import (
    Bash,
    Call,
    Chance,
    Fault,
    Malformed,
    Say,
    Scenario,
    Step,
    Submit,
    Usage,
)
from tests.agents.scripted_model.server import LoggedRequest, ScriptedModel, scripted_model

__all__ = [
    "Bash",
    "Call",
    "Chance",
    "Fault",
    "LoggedRequest",
    "Malformed",
    "Say",
    "Scenario",
    "ScriptedModel",
    "Step",
    "Submit",
    "Usage",
    "scripted_model",
]
