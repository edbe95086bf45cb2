from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged import transforms
from pytest_jagged.contracts.evaluation import Grade, GradeStatus
from pytest_jagged.contracts.instance import (
    FileEdit,
    Instance,
    Keywords,
    ResultsMode,
    ResultsSource,
)
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.contracts.variant import CertifiedVariant, GoldSolves
from pytest_jagged.errors import EnvironmentFailure, InstanceError
from pytest_jagged.sampling.certificate import MAX_REDRAWS, certify
from pytest_jagged.sampling.seed_results import RunTests
from pytest_jagged.sampling.variant import VariantStore
from tests.sampling.repository import (
    SHOP,
    TESTS,
    AppendComment,
    ReplaceText,
    grader,
    make_instance,
    pool,
    settings,
)

HARMLESS = AppendComment("harmless")
BREAKING = ReplaceText("breaking", "amount > 100", "amount > 0")
ONE = settings(n_transformations=1)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path / "seed")


@pytest.fixture
def store(tmp_path: Path) -> VariantStore:
    return VariantStore(tmp_path / "study")


class Suite:
    """The real suite, run by the real grader, with a list of what it was run on."""

    def __init__(self) -> None:
        self.runs: list[tuple[FileEdit, ...]] = []

    def __call__(
        self, instance: Instance, edits: Sequence[FileEdit] = (), *, diff: bytes = b""
    ) -> Grade:
        self.runs.append(tuple(edits))
        return grader().run_tests(instance, edits, diff=diff)


def certified(
    instance: Instance,
    store: VariantStore,
    index: int = 1,
    *,
    catalogue: Mapping[str, Transformation],
    run_tests: RunTests | None = None,
    sampler: SamplerSettings = ONE,
    keywords: Keywords | None = None,
) -> CertifiedVariant:
    return certify(
        instance,
        index,
        study_seed=0,
        settings=sampler,
        keywords=keywords or Keywords(),
        catalogue=catalogue,
        run_tests=run_tests or Suite(),
        store=store,
    )


def test_a_harmless_variant_is_certified_at_once(instance: Instance, store: VariantStore) -> None:
    suite = Suite()
    result = certified(instance, store, catalogue=pool(HARMLESS), run_tests=suite)
    certificate = result.certificate
    assert certificate.certified
    assert certificate.rejected == ()
    assert result.variant is not None
    assert certificate.compiled_files == len(result.variant.edits) > 0
    assert certificate.tests_compared == 4
    assert certificate.flaky == ()
    assert not certificate.unchanged
    assert not certificate.gold_unchanged
    assert certificate.gold_solves is GoldSolves.YES
    assert 0 < certificate.gold_lines_changed <= certificate.lines_changed
    assert certificate.gold_lines_total < certificate.lines_total
    assert len(suite.runs) == 3  # seed, variant, variant + gold


def test_a_pytest_suite_is_compared_test_by_test(tmp_path: Path, store: VariantStore) -> None:
    instance = make_instance(
        tmp_path / "seed",
        test_command="python -m pytest -q -p no:cacheprovider tests",
        results=ResultsSource(ResultsMode.PYTEST),
    )
    certificate = certified(instance, store, catalogue=pool(HARMLESS)).certificate
    assert certificate.certified
    assert certificate.tests_compared == 4
    assert certificate.gold_solves is GoldSolves.YES


def test_the_second_call_reads_the_store(instance: Instance, store: VariantStore) -> None:
    first = certified(instance, store, catalogue=pool(HARMLESS))
    suite = Suite()
    assert certified(instance, store, catalogue=pool(HARMLESS), run_tests=suite) == first
    assert suite.runs == []


def test_the_seed_is_measured_once_for_all_indices(instance: Instance, store: VariantStore) -> None:
    suite = Suite()
    for index in (1, 2):
        certified(instance, store, index, catalogue=pool(HARMLESS), run_tests=suite)
    assert suite.runs.count(()) == 1


def test_a_draw_that_changes_behaviour_is_listed_and_replaced(
    instance: Instance, store: VariantStore
) -> None:
    catalogue = pool(HARMLESS, BREAKING)
    results = [certified(instance, store, index, catalogue=catalogue) for index in range(1, 7)]
    assert all(result.certificate.certified for result in results)
    rejected = [draw for result in results for draw in result.certificate.rejected]
    assert rejected
    assert all(draw.transformations == ("breaking",) for draw in rejected)
    assert "test_label: passed -> failed" in rejected[0].reason
    for result in results:
        assert result.variant is not None
        assert result.variant.draw == len(result.certificate.rejected)
        assert result.variant.transformations == ("harmless",)


def test_an_index_without_a_draw_that_holds_is_refused(
    instance: Instance, store: VariantStore
) -> None:
    result = certified(instance, store, catalogue=pool(BREAKING))
    assert result.variant is None
    assert not result.certificate.certified
    assert [draw.draw for draw in result.certificate.rejected] == list(range(MAX_REDRAWS + 1))
    suite = Suite()
    assert certified(instance, store, catalogue=pool(BREAKING), run_tests=suite) == result
    assert suite.runs == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('return "cheap item"', "import no_such_module", "test_label"),
        ("def total", "raise SystemExit(0)\ndef total", "tests"),
    ],
)
def test_a_variant_that_does_not_import_or_collect_is_rejected(
    instance: Instance, store: VariantStore, old: str, new: str, reason: str
) -> None:
    result = certified(instance, store, catalogue=pool(ReplaceText("x", old, new)))
    assert not result.certificate.certified
    assert reason in result.certificate.rejected[0].reason


def test_an_unchanged_variant_is_certified_without_a_run_of_its_own(
    instance: Instance, store: VariantStore
) -> None:
    suite = Suite()
    nothing = pool(ReplaceText("nothing", "no such text", ""))
    for index in (1, 2):
        result = certified(instance, store, index, catalogue=nothing, run_tests=suite)
        assert result.certificate.certified
        assert result.certificate.unchanged
        assert not result.certificate.gold_unchanged
        assert result.certificate.gold_solves is GoldSolves.YES
        assert result.certificate.lines_changed == 0
    assert len(suite.runs) == 1  # gold on the seed, once for all


def test_files_but_none_of_the_gold_files_is_flagged(
    instance: Instance, store: VariantStore
) -> None:
    elsewhere = pool(ReplaceText("elsewhere", '"""Counts."""', '"""Counts. """'))
    for index in range(1, 9):
        result = certified(instance, store, index, catalogue=elsewhere)
        if not result.certificate.unchanged:
            assert result.certificate.gold_unchanged
            assert result.certificate.gold_lines_changed == 0
            return
    pytest.fail("no variant with a changed file")


def test_a_gold_change_of_rewritten_lines_falls_back_to_rewriting_seed_and_gold(
    instance: Instance, store: VariantStore
) -> None:
    same_line = pool(ReplaceText("same_line", "if amount > 0 and", "if 0 < amount and"))
    suite = Suite()
    result = certified(instance, store, catalogue=same_line, run_tests=suite)
    assert result.certificate.gold_solves is GoldSolves.YES
    assert result.variant is not None
    last = {edit.path: edit.content or b"" for edit in suite.runs[-1]}
    assert b"if 0 < amount and amount <= 1000" in last["shop/price.py"]


def test_a_variant_on_which_gold_fails_says_so(instance: Instance, store: VariantStore) -> None:
    # The suite cannot tell this from the seed, but it breaks what the gold change makes right.
    hidden = pool(ReplaceText("hidden", "amount > 0 and", "0 < amount < 1000 and"))
    result = certified(instance, store, catalogue=hidden)
    assert result.certificate.certified
    assert result.certificate.gold_solves is GoldSolves.NO


def test_flaky_tests_are_set_apart(tmp_path: Path, store: VariantStore) -> None:
    marker = tmp_path / "marker"
    flaky = f"""
import os

def test_sometimes():
    path = {str(marker)!r}
    if os.path.exists(path):
        os.unlink(path)
        assert False
    open(path, "w").close()
"""
    files = {**SHOP, "tests/test_flaky.py": flaky}
    instance = make_instance(tmp_path / "seed", files)
    result = certified(instance, store, catalogue=pool(HARMLESS))
    assert result.certificate.certified
    assert result.certificate.flaky == ("tests/test_flaky.py::test_sometimes",)
    assert result.certificate.tests_compared == 4


def test_one_bad_run_of_the_seed_is_not_believed(tmp_path: Path, store: VariantStore) -> None:
    marker = tmp_path / "marker"
    files = {
        **SHOP,
        "tests/test_first.py": f"""
import os

def test_but_the_first_time():
    if not os.path.exists({str(marker)!r}):
        open({str(marker)!r}, "w").close()
        assert False
""",
    }
    plain = make_instance(tmp_path / "seed", files)
    name = "tests/test_first.py::test_but_the_first_time"
    instance = replace(plain, pass_to_pass=(*plain.pass_to_pass, name))
    certificate = certified(instance, store, catalogue=pool(HARMLESS)).certificate
    assert certificate.certified
    assert certificate.flaky == ()
    assert certificate.tests_compared == 5


def test_tests_that_the_instance_calls_flaky_are_not_compared(
    instance: Instance, store: VariantStore
) -> None:
    tolerant = replace(instance, flaky=(f"{TESTS}test_label",))
    result = certified(tolerant, store, catalogue=pool(BREAKING))
    assert result.certificate.certified
    assert result.certificate.tests_compared == 3


def test_a_seed_that_contradicts_its_instance_is_an_error(
    instance: Instance, store: VariantStore
) -> None:
    passing = replace(instance, fail_to_pass=(f"{TESTS}test_total",), digest="a")
    with pytest.raises(InstanceError, match=r"test_total passes though.*jagged check shop"):
        certified(passing, store, catalogue=pool(HARMLESS))
    failing = replace(instance, pass_to_pass=(f"{TESTS}test_gone",), digest="b")
    with pytest.raises(InstanceError, match="test_gone fails though"):
        certified(failing, store, catalogue=pool(HARMLESS))
    silent = replace(instance, test_command="true", digest="c")
    with pytest.raises(InstanceError, match="gives no results on the seed"):
        certified(silent, store, catalogue=pool(HARMLESS))


def test_infrastructure_trouble_leaves_nothing_behind_that_counts(
    instance: Instance, store: VariantStore
) -> None:
    def failing(instance: Instance, edits: Sequence[FileEdit] = (), *, diff: bytes = b"") -> Grade:
        if edits:
            raise EnvironmentFailure("disk full")
        return grader().run_tests(instance, edits, diff=diff)

    with pytest.raises(EnvironmentFailure, match="disk full"):
        certified(instance, store, catalogue=pool(HARMLESS), run_tests=failing)
    suite = Suite()
    result = certified(instance, store, catalogue=pool(HARMLESS), run_tests=suite)
    assert result.certificate.certified
    assert () not in suite.runs  # the seed's results were kept


def test_a_suite_that_times_out_is_run_again_before_that_is_believed(
    instance: Instance, store: VariantStore
) -> None:
    slow: list[bool] = [True]

    def once_slow(
        instance: Instance, edits: Sequence[FileEdit] = (), *, diff: bytes = b""
    ) -> Grade:
        if edits and slow.pop() if slow else False:
            return Grade(GradeStatus.TIMED_OUT, resolved=False, detail="tests timed out")
        return grader().run_tests(instance, edits, diff=diff)

    result = certified(instance, store, catalogue=pool(HARMLESS), run_tests=once_slow)
    assert result.certificate.rejected == ()


def test_the_real_catalogue_keeps_the_behaviour(instance: Instance, store: VariantStore) -> None:
    keywords = Keywords(methods=("take",), literals=("cheap item", "not enough in stock"))
    for index in range(1, 6):
        result = certified(
            instance,
            store,
            index,
            catalogue=transforms.catalogue(),
            sampler=settings(),
            keywords=keywords,
        )
        assert result.certificate.rejected == ()
        assert result.certificate.gold_solves is GoldSolves.YES


def _certify_elsewhere(root: str, instance: Instance) -> CertifiedVariant:
    return certified(instance, VariantStore(Path(root) / "study"), catalogue=pool(HARMLESS))


def _logged_instance(root: Path, log: Path) -> Instance:
    command = f"echo run >> {log}; python tests/run.py"
    return make_instance(root / "seed", test_command=command)


def test_two_processes_do_the_work_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    instance = _logged_instance(tmp_path, log)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as processes:
        asked = [processes.submit(_certify_elsewhere, str(tmp_path), instance) for _ in range(2)]
        results = [answer.result(timeout=60) for answer in asked]
    assert results[0] == results[1]
    assert log.read_text().count("run") == 3  # seed, variant, variant + gold


def test_a_killed_process_frees_its_lock(instance: Instance, store: VariantStore) -> None:
    result = certified(instance, store, catalogue=pool(HARMLESS))
    path = store.path(instance.id, 1, result.certificate.key)
    path.unlink()
    script = (
        "import sys, os\nfrom pathlib import Path\n"
        "from pytest_jagged.sampling.variant import VariantStore\n"
        "with VariantStore(Path(sys.argv[1])).lock(Path(sys.argv[2])): os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(store.root.parent), str(path)], check=False)
    assert certified(instance, store, catalogue=pool(HARMLESS)) == result
