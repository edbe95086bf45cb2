"""Grade a patch in a fresh environment: seed, variant, patch, test overlay, test command."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_jagged.contracts.digests import bytes_digest
from pytest_jagged.contracts.environment import (
    Ending,
    Environment,
    EnvironmentProvider,
    ExecResult,
)
from pytest_jagged.contracts.evaluation import Grade, GradeStatus, Patch
from pytest_jagged.contracts.instance import FileEdit, Instance, ResultsMode
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.errors import ConfigError
from pytest_jagged.evaluation.results import (
    Collected,
    read_exit_code,
    read_junit,
    read_plugin_lines,
)
from pytest_jagged.evaluation.verdict import judge

__all__ = ["Grader"]

_PLUGIN = Path(__file__).with_name("grading_plugin.py")
_APPLY_TIMEOUT_S = 300
_LOG_CAP = 2 << 20


class Grader:
    """The evaluator for instances whose test command is ours to run."""

    def __init__(self, provider: EnvironmentProvider, limits: LimitSettings) -> None:
        self._provider = provider
        self._limits = limits

    def identity(self) -> Mapping[str, str]:
        return {"name": "own", "plugin": bytes_digest(_PLUGIN.read_bytes())[:16]}

    def grade(self, instance: Instance, variant: Variant | None, patch: Patch) -> Grade:
        """Grade *patch*. A suite that times out is run once more before that is believed."""
        edits = () if variant is None else variant.edits
        grade = self.run_tests(instance, edits, diff=patch.diff)
        if grade.status is GradeStatus.TIMED_OUT:
            grade = self.run_tests(instance, edits, diff=patch.diff)
        return grade

    def run_tests(
        self,
        instance: Instance,
        edits: Sequence[FileEdit] = (),
        *,
        diff: bytes = b"",
        overlay: bool = True,
    ) -> Grade:
        """Results of the instance's suite on seed + *edits* + *diff* + the graded tests.

        Raises:
            InfrastructureError: the environment failed; nothing is known about the tree.
        """
        environment = self._provider.create(instance)
        try:
            environment.write(edits)
            if diff:
                applied = self._apply(environment, diff)
                if not applied.ok:
                    detail = _last_line(applied.stderr)
                    return Grade(GradeStatus.NOT_APPLIED, resolved=False, detail=detail)
            if overlay:
                environment.write(instance.overlay)
            return self._run(environment, instance)
        finally:
            environment.close()

    def _apply(self, environment: Environment, diff: bytes) -> ExecResult:
        return environment.exec(
            ["git", "apply", "--binary", "--whitespace=nowarn", "-"],
            timeout=_APPLY_TIMEOUT_S,
            stdin=diff,
            env={
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CEILING_DIRECTORIES": str(Path(environment.workdir).parent),
            },
        )

    def _run(self, environment: Environment, instance: Instance) -> Grade:
        results = f"{environment.scratch}/results-{secrets.token_hex(8)}"
        env = self._put_plugin(environment, instance, results)
        limit = instance.timeouts.test or self._limits.test_s
        done = environment.exec(instance.test_command, timeout=limit, env=env)
        log = (done.stdout + b"\n" + done.stderr)[-_LOG_CAP:]
        if done.ending is not Ending.EXITED:
            detail = f"tests {done.ending.value.replace('_', ' ')} after {limit:g} s"
            return Grade(GradeStatus.TIMED_OUT, resolved=False, detail=detail, log=log)
        collected = self._collect(environment, instance, results, done)
        return _grade(instance, collected, done, log)

    @staticmethod
    def _put_plugin(
        environment: Environment, instance: Instance, results: str
    ) -> Mapping[str, str]:
        if instance.results.mode is not ResultsMode.PYTEST:
            return {}
        # A name of its own each time, so that no module of the tree can stand in for it.
        name = f"results_{secrets.token_hex(8)}"
        folder = f"{environment.scratch}/{name}_path"
        environment.copy_in(_PLUGIN, f"{folder}/{name}.py")
        tree = f"{environment.workdir}/{instance.import_root}"
        return {
            "RESULTS_FILE": results,
            "PYTEST_PLUGINS": name,
            "PYTHONPATH": f"{tree}:{folder}",
        }

    @staticmethod
    def _collect(
        environment: Environment, instance: Instance, results: str, done: ExecResult
    ) -> Collected:
        source = instance.results
        if source.mode is ResultsMode.EXIT_CODE:
            return read_exit_code(done.exit_code or 0)
        if source.mode is ResultsMode.PYTEST:
            return read_plugin_lines(environment.read(results) or b"")
        if source.mode is ResultsMode.JUNIT and source.argument is not None:
            data = environment.read(source.argument)
            return Collected({}) if data is None else read_junit(data)
        raise ConfigError(
            f"{instance.id}: results: no log parser {source.argument!r} in this version;"
            " use pytest, junit:PATH or exit_code"
        )


def _grade(instance: Instance, collected: Collected, done: ExecResult, log: bytes) -> Grade:
    if not collected.tests:
        detail = f"no tests ran (exit {done.exit_code}): {_last_line(log)}"
        return Grade(GradeStatus.NO_TESTS, resolved=False, detail=detail, log=log)
    verdict = judge(collected.tests, instance.fail_to_pass, instance.pass_to_pass)
    own_plugin = instance.results.mode is ResultsMode.PYTEST
    # A suite that never says it ended, or ends in a way its tests do not explain, proves nothing.
    broken_off = own_plugin and collected.finished not in (0, 1, 2)
    detail = f"suite broke off (exit {done.exit_code})" if broken_off else ""
    return Grade(
        status=GradeStatus.GRADED,
        resolved=verdict.resolved and not broken_off,
        tests=collected.tests,
        failed_fail_to_pass=verdict.failed_fail_to_pass,
        failed_pass_to_pass=verdict.failed_pass_to_pass,
        missing=verdict.missing,
        detail=detail or _summary(verdict.failed_fail_to_pass, verdict.failed_pass_to_pass),
        log=log,
    )


def _summary(fail_to_pass: Sequence[str], pass_to_pass: Sequence[str]) -> str:
    if not fail_to_pass and not pass_to_pass:
        return ""
    return f"{len(fail_to_pass)} fail-to-pass and {len(pass_to_pass)} pass-to-pass tests failed"


def _last_line(output: bytes) -> str:
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""
