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
from pytest_jagged.errors import ConfigError, InstanceError
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
# Also names that git refuses for the sake of other systems (`git~1`).
_ANY_NAME = ("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false")
_LOG_CAP = 2 << 20
_RULES = "2"  # raised when the same tree would be graded otherwise; part of every record's key


class Grader:
    """The evaluator for instances whose test command is ours to run."""

    def __init__(self, provider: EnvironmentProvider, limits: LimitSettings) -> None:
        self._provider = provider
        self._limits = limits

    def identity(self) -> Mapping[str, str]:
        plugin = bytes_digest(_PLUGIN.read_bytes())[:16]
        return {"name": "own", "rules": _RULES, "plugin": plugin}

    def grade(self, instance: Instance, variant: Variant | None, patch: Patch) -> Grade:
        """Grade *patch*. A suite that times out is run once more before that is believed.

        Raises:
            InstanceError: the instance names no test, so that every patch would solve it.
            InfrastructureError: the environment failed; nothing is known about the patch.
        """
        if not instance.fail_to_pass and not instance.pass_to_pass:
            raise InstanceError(
                f"{instance.id}: neither fail_to_pass nor pass_to_pass names a test; without one"
                " every patch would count as resolved"
            )
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
            ConfigError: the instance's results come from a log parser that is not there.
            InfrastructureError: the environment failed; nothing is known about the tree.
        """
        _check_results_source(instance)
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

    @staticmethod
    def _apply(environment: Environment, diff: bytes) -> ExecResult:
        # No repository: neither its configuration nor its attributes may change a byte.
        return environment.exec(
            ["git", *_ANY_NAME, "apply", "--binary", "--whitespace=nowarn", "-"],
            timeout=_APPLY_TIMEOUT_S,
            stdin=diff,
            env={
                "GIT_DIR": "/dev/null",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_ATTR_NOSYSTEM": "1",
            },
        )

    def _run(self, environment: Environment, instance: Instance) -> Grade:
        results = f"{environment.scratch}/results-{secrets.token_hex(8)}"
        env = self._put_plugin(environment, instance, results)
        _remove_stale_results(environment, instance)
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
            "PYTHONPATH": f"{instance.env.get('PYTHONPATH', tree)}:{folder}",
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
        data = environment.read(source.argument or "")
        return Collected({}, "no JUnit file was written") if data is None else read_junit(data)


def _check_results_source(instance: Instance) -> None:
    source = instance.results
    if source.mode is ResultsMode.PARSER:
        raise ConfigError(
            f"{instance.id}: results: no log parser {source.argument!r} in this version;"
            " use pytest, junit:PATH or exit_code"
        )
    if source.mode is ResultsMode.JUNIT and not source.argument:
        raise ConfigError(f"{instance.id}: results: junit needs a path; write junit:PATH")


def _remove_stale_results(environment: Environment, instance: Instance) -> None:
    """A file that the patch brought must not pass for what the suite writes."""
    path = instance.results.argument
    if instance.results.mode is ResultsMode.JUNIT and path:
        environment.exec(["rm", "-f", "--", path], timeout=_APPLY_TIMEOUT_S)


def _grade(instance: Instance, collected: Collected, done: ExecResult, log: bytes) -> Grade:
    if not collected.tests:
        reason = collected.trouble or _last_line(log)
        detail = f"no tests ran (exit {done.exit_code}): {reason}"
        return Grade(GradeStatus.NO_TESTS, resolved=False, detail=detail, log=log)
    verdict = judge(collected.tests, instance.fail_to_pass, instance.pass_to_pass)
    trouble = collected.trouble
    if not trouble and not collected.explains(done.exit_code):
        trouble = "tests passed and the command failed"
    detail = _summary(verdict.failed_fail_to_pass, verdict.failed_pass_to_pass)
    if trouble:
        detail = f"{trouble} (exit {done.exit_code})"
    return Grade(
        status=GradeStatus.GRADED,
        resolved=verdict.resolved and not trouble,
        tests=collected.tests,
        failed_fail_to_pass=verdict.failed_fail_to_pass,
        failed_pass_to_pass=verdict.failed_pass_to_pass,
        missing=verdict.missing,
        detail=detail,
        log=log,
    )


def _summary(fail_to_pass: Sequence[str], pass_to_pass: Sequence[str]) -> str:
    if not fail_to_pass and not pass_to_pass:
        return ""
    return f"{len(fail_to_pass)} fail-to-pass and {len(pass_to_pass)} pass-to-pass tests failed"


def _last_line(output: bytes) -> str:
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""
