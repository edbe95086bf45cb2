"""The errors users and callers meet; each message is one line: what, where, how to fix."""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "EnvironmentFailure",
    "EvaluatorFailure",
    "InfrastructureError",
    "InstanceError",
    "JaggedError",
    "ModelServiceFailure",
    "StoreBusy",
    "StoreError",
    "TransformError",
]


class JaggedError(Exception):
    """Root of every error this package raises on purpose."""


class ConfigError(JaggedError):
    """The study file, an option or an argument is wrong; becomes pytest's usage error (exit 4)."""


class InstanceError(ConfigError):
    """A task instance cannot be used as described (no folder, wrong hash, base not failing)."""


class TransformError(JaggedError):
    """A transformation was asked for something it cannot represent (unknown name, bad target)."""


class StoreError(JaggedError):
    """The record store cannot be read or written as asked (conflicting records, wrong schema)."""


class StoreBusy(StoreError):
    """Another session holds the store; the message names its process and host."""


class InfrastructureError(JaggedError):
    """Trouble that is not the agent's doing; retried, and never counted as the agent's failure."""


class EnvironmentFailure(InfrastructureError):
    """An environment could not be made, reached or kept alive (disk full, vanished, no engine)."""


class ModelServiceFailure(InfrastructureError):
    """The model's service refused or failed (rate limit, authentication, provider error)."""


class EvaluatorFailure(InfrastructureError):
    """Grading itself failed, so nothing is known about the patch."""
