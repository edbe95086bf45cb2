from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from pytest_jagged.contracts.instance import FileEdit, Instance, Keywords
from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.contracts.variant import SiteStatus, Variant
from pytest_jagged.errors import ConfigError
from pytest_jagged.sampling.sampler import draw_variant
from pytest_jagged.sampling.tree import SeedTree
from tests.sampling.repository import AppendComment, ReplaceText, make_instance, pool, settings

FREE = tuple(AppendComment(f"free_{letter}") for letter in "abcdef")
BOUND = AppendComment("dead_string_assignment", keyword_bound=True)
FILES = {f"pkg/m{n:02d}.py": "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n" for n in range(20)}
NO_KEYWORDS = Keywords()
GOLD = ("pkg/m07.py", "pkg/m13.py")


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Instance:
    return make_instance(tmp_path_factory.mktemp("seed"), FILES, gold_files=GOLD, gold_patch="")


def draw(
    instance: Instance,
    index: int = 1,
    *,
    catalogue: Mapping[str, Transformation] | None = None,
    keywords: Keywords = NO_KEYWORDS,
    number: int = 0,
    seed: int = 0,
    tree: SeedTree | None = None,
    **changes: Any,
) -> Variant:
    return draw_variant(
        instance,
        index=index,
        draw=number,
        study_seed=seed,
        settings=settings(**changes),
        keywords=keywords,
        catalogue=catalogue or pool(*FREE),
        seed=tree,
    )


def files_of(variant: Variant, step: int = 1) -> set[str]:
    return {site.path for site in variant.sites if site.step == step}


def test_the_same_arguments_give_the_same_variant(instance: Instance) -> None:
    assert draw(instance) == draw(instance)


def test_index_redraw_and_study_seed_each_give_another_variant(instance: Instance) -> None:
    variants = [draw(instance), draw(instance, 2), draw(instance, number=1), draw(instance, seed=1)]
    assert len({variant.edits for variant in variants}) == 4


def test_transformations_are_drawn_uniformly_without_replacement(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, {}, gold_files=(), gold_patch="")
    counts: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for index in range(600):
        names = draw(instance, index).transformations
        assert len(set(names)) == 3
        counts.update(names)
        first[names[0]] += 1
    # 300 and 100 expected; standard deviations 12.2 and 9.1.
    assert all(abs(counts[t.name] - 300) < 55 for t in FREE)
    assert all(abs(first[t.name] - 100) < 42 for t in FREE)


def test_gold_files_are_always_included(instance: Instance) -> None:
    for index in range(60):
        variant = draw(instance, index)
        for step in (1, 2, 3):
            assert files_of(variant, step) >= set(GOLD)


def test_other_files_are_included_with_the_drawn_probability(instance: Instance) -> None:
    expected = included = 0.0
    probabilities = []
    for index in range(200):
        variant = draw(instance, index, n_transformations=1)
        (p_file,) = variant.file_probabilities
        probabilities.append(p_file)
        expected += 18 * p_file
        included += len(files_of(variant) - set(GOLD))
    # p_file is uniform on 0..1; given it, the number of files is binomial.
    assert abs(sum(probabilities) / 200 - 0.5) < 0.07
    assert sum(p < 0.25 for p in probabilities) in range(30, 72)
    assert abs(included - expected) < 4 * (200 * 18 / 6) ** 0.5


def test_each_transformation_has_its_own_probability(instance: Instance) -> None:
    probabilities = draw(instance).file_probabilities
    assert len(set(probabilities)) == 3


@pytest.mark.parametrize(("fraction", "count"), [(0.7, 4), (0.2, 1), (0.05, 1), (1.0, 5)])
def test_a_rounded_up_share_of_the_sites_is_rewritten(
    instance: Instance, fraction: float, count: int
) -> None:
    variant = draw(instance, n_transformations=1, site_fraction=fraction)
    per_file = Counter(site.path for site in variant.sites)
    assert set(per_file.values()) == {count} == {ceil(fraction * 5)}
    assert all(site.status is SiteStatus.APPLIED for site in variant.sites)
    for edit in variant.edits:
        assert edit.content is not None
        assert edit.content.count(b"#") == count


def test_sites_are_drawn_uniformly(instance: Instance) -> None:
    lines: Counter[int] = Counter()
    for index in range(300):
        variant = draw(instance, index, n_transformations=1, site_fraction=0.4)
        lines.update(site.line for site in variant.sites if site.path == GOLD[0])
    # 2 of 5 lines in each of 300 draws: 120 expected, standard deviation 8.5.
    assert sorted(lines) == [1, 2, 3, 4, 5]
    assert all(abs(count - 120) < 38 for count in lines.values())


def test_keyword_bound_ones_stop_at_the_cap_gold_files_apart(instance: Instance) -> None:
    keywords = Keywords(literals=("one text", "two texts"))
    biggest = 0
    for index in range(40):
        variant = draw(
            instance,
            index,
            catalogue=pool(BOUND),
            keywords=keywords,
            n_transformations=1,
            n_files=4,
        )
        for step in (1, 2):
            files = files_of(variant, step)
            assert files >= set(GOLD)
            before_last_gold = {path for path in files if path < GOLD[0]}
            # c counts every included file, gold ones too, in the order of the walk (line 20).
            assert len(before_last_gold) <= 4
            others = sorted(files - set(GOLD))
            for place, path in enumerate(others):
                counted = place + sum(gold < path for gold in GOLD)
                assert counted < 4
            biggest = max(biggest, len(others))
    assert biggest == 4


def test_the_cap_is_not_for_the_others(instance: Instance) -> None:
    counts = [len(files_of(draw(instance, i, n_transformations=1, n_files=0))) for i in range(30)]
    assert max(counts) > 10


def test_keywords_share_the_probability_but_not_the_files(instance: Instance) -> None:
    keywords = Keywords(literals=("one text", "two texts"))
    variants = [
        draw(instance, i, catalogue=pool(BOUND), keywords=keywords, n_transformations=1)
        for i in range(10)
    ]
    assert all(len(variant.file_probabilities) == 1 for variant in variants)
    assert any(files_of(variant, 1) != files_of(variant, 2) for variant in variants)


def test_a_keyword_bound_one_without_a_keyword_does_nothing_and_says_so(
    instance: Instance,
) -> None:
    variant = draw(instance, catalogue=pool(BOUND), n_transformations=1)
    assert variant.unchanged
    assert [(s.transformation, s.path) for s in variant.skipped] == [(BOUND.name, None)]
    assert "no keyword" in variant.skipped[0].reason


def test_what_one_file_holds_shifts_no_other_files_draws(instance: Instance) -> None:
    path = "pkg/m00.py"
    longer = FileEdit(path, FILES[path].encode() * 3)
    for index in range(5):
        plain = draw(instance, index)
        changed = draw(instance, index, tree=SeedTree(instance.seed, (longer,)))

        def others(variant: Variant) -> list[FileEdit]:
            return [edit for edit in variant.edits if edit.path != path]

        assert others(plain) == others(changed)


def test_later_steps_see_what_earlier_ones_wrote(tmp_path: Path) -> None:
    instance = make_instance(
        tmp_path, {"a.py": "word = 'red'\n"}, gold_files=("a.py",), gold_patch=""
    )
    steps = pool(ReplaceText("one", "red", "green"), ReplaceText("two", "green", "blue"))
    outcomes = {}
    for index in range(20):
        variant = draw(instance, index, catalogue=steps, n_transformations=2)
        outcomes[variant.transformations] = variant.edits[0].content
    assert outcomes == {("one", "two"): b"word = 'blue'\n", ("two", "one"): b"word = 'green'\n"}


def test_a_change_that_is_taken_back_is_no_edit(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, {"a.py": "x = 'red'\n"}, gold_files=("a.py",), gold_patch="")
    steps = pool(ReplaceText("one", "red", "green"), ReplaceText("two", "green", "red"))
    for index in range(20):
        variant = draw(instance, index, catalogue=steps, n_transformations=2)
        if variant.transformations == ("one", "two"):
            assert variant.unchanged
            assert len(variant.sites) == 2
            return
    pytest.fail("the order one, two was never drawn")


def test_files_that_are_no_python_are_skipped_with_a_reason(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "good.py": "x = 1\n",
        "latin.py": b"# -*- coding: utf-8 -*-\nx = '\xe9'\n",
        "template.py": "x = {{ name }\n",
        "two.py": "print 'hello'\n",
    }
    instance = make_instance(tmp_path, files, gold_files=tuple(files), gold_patch="")
    variant = draw(instance, n_transformations=1)
    assert [edit.path for edit in variant.edits] == ["good.py"]
    assert [skipped.path for skipped in variant.skipped] == ["latin.py", "template.py", "two.py"]
    assert all(skipped.reason for skipped in variant.skipped)


def test_tests_build_files_and_links_are_never_rewritten(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1\n")
    seed = tmp_path / "seed"
    files = dict.fromkeys(
        ("pkg/a.py", "setup.py", "tests/helper.py", "pkg/test_a.py", "conftest.py"), "x = 1\n"
    )
    instance = make_instance(seed, files, gold_files=("pkg/a.py",), gold_patch="")
    (seed / "pkg" / "link.py").symlink_to(outside)
    (seed / "linked").symlink_to(seed / "pkg")
    assert SeedTree(seed).source_files(instance) == ("pkg/a.py",)


def test_the_artifact_preset_leaves_out_the_renamer_and_users_own(instance: Instance) -> None:
    names = ("local_variable_renamer", "if_true_wrapper", "if_else_switcher", "own_one")
    catalogue = pool(*(AppendComment(name) for name in names))
    drawn: set[str] = set()
    for index in range(20):
        variant = draw(instance, index, catalogue=catalogue, preset="artifact", n_transformations=1)
        drawn.update(variant.transformations)
    assert drawn == {"if_true_wrapper", "if_else_switcher"}


def test_the_order_of_names_in_the_study_file_is_no_matter(instance: Instance) -> None:
    names = tuple(t.name for t in FREE[:4])
    assert draw(instance, transformations=names) == draw(instance, transformations=names[::-1])


def test_a_pool_too_small_or_unknown_is_a_clear_error(instance: Instance) -> None:
    with pytest.raises(ConfigError, match="n_transformations: 3 cannot be drawn from 1"):
        draw(instance, transformations=("free_a",))
    with pytest.raises(ConfigError, match="'no_such' is not in the catalogue"):
        draw(instance, transformations=("free_a", "no_such", "free_b"))
