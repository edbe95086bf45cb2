"""The paper's differential test: a project's suite on its tree with one transformation applied at
every site that it finds, against the suite on the tree as it is.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jagged.contracts.digests import bytes_digest, derive_generator, json_digest
from pytest_jagged.contracts.evaluation import Grade, GradeStatus, TestStatus
from pytest_jagged.contracts.instance import FileEdit, Instance
from pytest_jagged.contracts.transformation import Transformation, TransformResult
from pytest_jagged.errors import ConfigError, TransformError
from pytest_jagged.instances.cache import build_once
from pytest_jagged.records.atomic import write_json
from pytest_jagged.sampling.seed_results import Results, RunTests, differing, run_suite
from pytest_jagged.sampling.tree import SeedTree, VariantTree

__all__ = ["ChangedTest", "Memory", "Targets", "Validation", "Validator"]

_PACKAGE = Path(__file__).parents[1] / "transforms"


@dataclass(frozen=True, slots=True)
class Targets:
    """What keyword-bound transformations insert: a method's name, and a literal."""

    method: str = "resolve_pending_entry"
    literal: str = "the entry was not resolved"

    def of(self, transformation: Transformation) -> str | None:
        if not transformation.keyword_bound:
            return None
        return self.method if "method" in transformation.name else self.literal


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """`observes_source`: it gives another result too where the text alone is changed."""

    name: str
    before: str
    after: str
    observes_source: bool


@dataclass(frozen=True, slots=True)
class Validation:
    """One transformation. `skipped` counts refused sites by reason; `fault` says why there are no
    results (the suite broke off), which is a change of behaviour too.
    """

    spt: str
    files: int
    candidates: int
    applied: int
    skipped: Mapping[str, int]
    tests: int
    changed: tuple[ChangedTest, ...]
    fault: str | None = None

    @property
    def holds(self) -> bool:
        return self.fault is None and all(test.observes_source for test in self.changed)


class Validator:
    """One project. What was found is kept in *memory*, by all that decides it."""

    def __init__(
        self, instance: Instance, run_tests: RunTests, memory: Memory, seed: int, targets: Targets
    ) -> None:
        self._instance = instance
        self._run_tests = run_tests
        self._memory = memory
        self._seed = seed
        self._targets = targets
        self._tree = SeedTree(instance.seed)

    @cached_property
    def baseline(self) -> Results:
        """Per-test results of the tree as it is.

        Raises:
            ConfigError: the suite gives no results, or no test passes (it broke off).
        """
        results = self._suite("baseline", lambda: ())
        if TestStatus.PASSED not in results.values():
            name, status = next(iter(results.items()))
            raise ConfigError(
                f"{self._instance.id}: no test passes on the tree as it is ({name}:"
                f" {status.value}); mend --test-command"
            )
        return results

    @cached_property
    def flaky(self) -> frozenset[str]:
        """Tests that two runs of the same tree disagree about; they are set apart."""
        return differing(self.baseline, self._suite("baseline again", lambda: ()))

    def validate(self, transformation: Transformation) -> Validation:
        target = self._targets.of(transformation)
        key = self._key(transformation.name, target, _source_digest())
        value = self._memory.once(key, lambda: asdict(self._validate(transformation, target)))
        return Validation(
            **{**value, "changed": tuple(ChangedTest(**test) for test in value["changed"])}
        )

    def _validate(self, transformation: Transformation, target: str | None) -> Validation:
        tree, skipped = VariantTree(self._tree), Counter[str]()
        applied = candidates = 0
        for path in self._tree.source_files(self._instance):
            rng = derive_generator(self._seed, transformation.name, path)
            try:
                result = self._apply(tree, path, transformation, target, rng)
            except TransformError as error:
                skipped[str(error)] += 1
                continue
            applied += len(result.sites)
            candidates += result.candidates
            skipped.update(site.reason for site in result.skipped)
        edits = tree.edits()
        changed, fault = self._changed(edits) if edits else ((), None)
        return Validation(
            spt=transformation.name,
            files=len(edits),
            candidates=candidates,
            applied=applied,
            skipped=dict(sorted(skipped.items(), key=lambda item: (-item[1], item[0]))),
            tests=len(self.baseline.keys() - self.flaky),
            changed=changed,
            fault=fault,
        )

    def _apply(
        self,
        tree: VariantTree,
        path: str,
        transformation: Transformation,
        target: str | None,
        rng: random.Random,
    ) -> TransformResult:
        from pytest_jagged.transforms import engine

        result = engine.apply(
            tree.read(path),
            transformation,
            rng=rng,
            fraction=1.0,
            target=target,
            path=path,
            tree=tree,
            feature_version=self._instance.python_version,
        )
        assert isinstance(result.source, bytes)
        tree.write(path, result.source)
        return result

    def _changed(self, edits: Sequence[FileEdit]) -> tuple[tuple[ChangedTest, ...], str | None]:
        """What two runs of the rewritten tree agree to give another result for."""
        first = run_suite(self._run_tests, self._instance, edits)
        if first.status is not GradeStatus.GRADED:
            return (), _fault(first)
        names = differing(self.baseline, first.tests) - self.flaky
        if names:
            second = run_suite(self._run_tests, self._instance, edits)
            if second.status is not GradeStatus.GRADED:
                return (), _fault(second)
            names &= differing(self.baseline, second.tests)
        observers = self._observers if names else frozenset()
        return tuple(
            ChangedTest(
                name,
                _word(self.baseline, name),
                _word(first.tests, name),
                name in observers,
            )
            for name in sorted(names)
        ), None

    @cached_property
    def _observers(self) -> frozenset[str]:
        """Tests that notice comments and blanks: line numbers, texts of sources, their digests."""
        return differing(self.baseline, self._suite("reformatted", self._reformatted))

    def _reformatted(self) -> tuple[FileEdit, ...]:
        from pytest_jagged.transforms.reformatting import reformat

        tree = VariantTree(self._tree)
        for path in self._tree.source_files(self._instance):
            try:
                tree.write(path, reformat(tree.read(path), path))
            except TransformError:
                continue  # no Python, which no transformation rewrites either
        return tree.edits()

    def _suite(self, what: str, edits: Callable[[], Sequence[FileEdit]]) -> Results:
        def measure() -> Any:
            grade = run_suite(self._run_tests, self._instance, edits())
            if grade.status is not GradeStatus.GRADED:
                raise ConfigError(
                    f"{self._instance.id}: the suite gives no results ({what}): {_fault(grade)};"
                    " check --test-command, --python and --import-root"
                )
            return {name: status.value for name, status in sorted(grade.tests.items())}

        value = self._memory.once(self._key(what), measure)
        return {name: TestStatus(status) for name, status in value.items()}

    def _key(self, *what: str | None) -> str:
        return json_digest([self._instance.digest, self._seed, *what])


class Memory:
    """Results as JSON files of a folder, each written whole, so that an ended command goes on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        path = build_once(self._folder / f"{key[:32]}.json", lambda new: write_json(new, make()))
        return json.loads(path.read_text("utf-8"))


def _fault(grade: Grade) -> str:
    return f"{grade.status.value.replace('_', ' ')}: {grade.detail}"


def _word(results: Results, name: str) -> str:
    return results[name].value if name in results else "not run"


def _source_digest() -> str:
    """Of all that a transformation's rewriting may depend on."""
    return json_digest([bytes_digest(path.read_bytes()) for path in sorted(_PACKAGE.glob("*.py"))])
