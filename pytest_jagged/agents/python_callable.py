"""An agent written in Python: `python:pkg.module:callable`."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from pytest_jagged.contracts.agent import AgentJob, AgentResult, Exit
from pytest_jagged.contracts.environment import Environment
from pytest_jagged.contracts.settings import AgentSettings, ModelSettings
from pytest_jagged.errors import ConfigError, InfrastructureError

__all__ = ["CallableAgent"]


class CallableAgent:
    """Calls `callable(job, environment) -> AgentResult` in this process.

    An exception is the agent's crash; InfrastructureError passes through and is retried. A
    callable with a true attribute `needs_gold_patch` is given the gold patch; `version` is part of
    its identity.
    """

    def __init__(self, settings: AgentSettings, model: ModelSettings | None) -> None:
        self.name = settings.name
        self.uses_model = model is not None
        self._settings = settings
        self._callable = _load(settings.name)
        self.needs_gold_patch = bool(getattr(self._callable, "needs_gold_patch", False))

    def probe(self) -> str:
        return self._settings.version or str(getattr(self._callable, "version", ""))

    def identity(self) -> Mapping[str, Any]:
        options = self._settings.options
        return {
            "name": self.name,
            "version": self.probe(),
            "options": {key: options[key] for key in sorted(options)},
        }

    def run(self, job: AgentJob, environment: Environment) -> AgentResult:
        try:
            result = self._callable(job, environment)
        except InfrastructureError:
            raise
        except (Exception, SystemExit) as error:
            # The one place where foreign code's failure becomes a result.
            (job.artifacts / "agent.log").write_text(traceback.format_exc(), "utf-8")
            return AgentResult(Exit.CRASH, detail=f"{type(error).__name__}: {error}")
        if not isinstance(result, AgentResult):
            raise ConfigError(
                f"agent {self.name}: returned {type(result).__name__}; return an AgentResult"
            )
        return result


def _load(name: str) -> Callable[[AgentJob, Environment], AgentResult]:
    module_name, _, attribute = name.removeprefix("python:").partition(":")
    if not module_name or module_name.startswith(".") or not attribute:
        raise ConfigError(f"agent.name: {name!r}; write python:pkg.module:callable")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ConfigError(
            f"agent.name: {name!r}: {error}; install the package or set PYTHONPATH"
        ) from error
    except (Exception, SystemExit) as error:
        # Whatever a module does while it is imported is the user's to mend.
        raise ConfigError(
            f"agent.name: {name!r}: importing {module_name} ended with"
            f" {type(error).__name__}: {' '.join(str(error).split())}; mend it"
        ) from error
    target: Any = module
    for part in attribute.split("."):
        target = getattr(target, part, None)
    if not callable(target):
        raise ConfigError(f"agent.name: {name!r}: {module_name} has no callable {attribute!r}")
    return target  # type: ignore[no-any-return]
