"""Grade a patch in a fresh environment: seed, variant, patch, test overlay, test command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_jagged.contracts.digests import bytes_digest
from pytest_jagged.contracts.environment import (
    Ending,
    Environment,
    EnvironmentProvider,
    ExecResult,
)
from pytest_jagged.contracts.evaluation import Grade, GradeStatus, Patch
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.settings import LimitSettings
from pytest_jagged.contracts.variant import Variant
from pytest_jagged.errors import InstanceError
from pytest_jagged.evaluation.collection import (
    PLUGIN,
    check_results_source,
    prepare_collection,
)
from pytest_jagged.evaluation.results import Collected
from pytest_jagged.evaluation.verdict import judge_instance

__all__ = ["Grader"]

_APPLY_TIMEOUT_S = 300
# Also names that git refuses for the sake of other systems (`git~1`).
_ANY_NAME = ("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false")
_LOG_CAP = 2 << 20
_RULES = "3"  # raised when the same tree would be graded otherwise; part of every record's key


class Grader:
    """The evaluator of every kind of instance; what differs is how results are collected."""

    def __init__(self, provider: EnvironmentProvider, limits: LimitSettings) -> None:
        self._provider = provider
        self._limits = limits

    def identity(self) -> Mapping[str, str]:
        plugin = bytes_digest(PLUGIN.read_bytes())[:16]
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
            ConfigError: the results cannot be read as the instance says (no such log parser).
            InfrastructureError: the environment failed; nothing is known about the tree.
        """
        check_results_source(instance)
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
        collection = prepare_collection(environment, instance)
        limit = instance.timeouts.test or self._limits.test_s
        done = environment.exec(collection.command, timeout=limit, env=collection.env)
        log = collection.log(done)[-_LOG_CAP:]
        if done.ending is not Ending.EXITED:
            detail = f"tests {done.ending.value.replace('_', ' ')} after {limit:g} s"
            return Grade(GradeStatus.TIMED_OUT, resolved=False, detail=detail, log=log)
        return _grade(instance, collection.collect(done), done, log)


def _grade(instance: Instance, collected: Collected, done: ExecResult, log: bytes) -> Grade:
    if not collected.tests:
        reason = collected.trouble or _last_line(log)
        detail = f"no tests ran (exit {done.exit_code}): {reason}"
        return Grade(GradeStatus.NO_TESTS, resolved=False, detail=detail, log=log)
    verdict = judge_instance(instance, collected.tests)
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
