"""The engine: which sites are chosen, what becomes of them, and that nothing else decides."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_jagged.contracts.digests import json_digest
from pytest_jagged.contracts.transformation import Candidates, Rewritten, Site
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms import catalogue, transform_source
from pytest_jagged.transforms.engine import apply
from pytest_jagged.transforms.module import Module
from tests.transforms.programs import PROGRAMS

LINES = "".join(f"x = {number}\n" for number in range(20)).encode()


class ReplaceStatements:
    """A user's own SPT: every statement that begins a line becomes *text*."""

    name = "replace_statements"
    keyword_bound = False

    def __init__(self, text: str, bad: frozenset[int] = frozenset(), limit: int = 1000) -> None:
        self.text = text
        self.bad = bad
        self.limit = limit

    def candidates(self, module: Module, target: str | None) -> Candidates:
        return Candidates(tuple(Site(n.lineno, 0, n.lineno, "any") for n in module.tree.body))

    def rewrite(
        self, module: Module, sites: Sequence[Site], target: str | None, rng: random.Random
    ) -> str | Rewritten:
        lines = module.text.splitlines(keepends=True)
        for site in sites:
            lines[site.line - 1] = "x = (\n" if site.line in self.bad else self.text
        if len(sites) > self.limit:
            return "too much of it ("
        return "".join(lines)


@pytest.mark.parametrize(
    ("fraction", "count"), [(1.0, 20), (0.7, 14), (0.71, 15), (0.55, 11), (0.01, 1)]
)
def test_the_share_of_sites_is_rounded_up(fraction: float, count: int) -> None:
    rng = random.Random(1)
    result = apply(LINES, ReplaceStatements("y = 1\n"), rng=rng, fraction=fraction)
    assert len(result.sites) == count
    assert result.source.count(b"y = 1") == count  # type: ignore[arg-type]
    assert result.candidates == 20


def test_one_bad_site_does_not_disable_the_file() -> None:
    spt = ReplaceStatements("y = 1\n", bad=frozenset({3, 4, 17}))
    result = apply(LINES, spt, rng=random.Random(1), fraction=1.0)
    assert len(result.sites) == 17
    assert [(s.site.line, s.reason) for s in result.skipped] == [
        (line, "result does not compile") for line in (3, 4, 17)
    ]
    assert b"(" not in result.source


def test_as_many_sites_stay_as_fit_together() -> None:
    """Each site alone compiles; all of them do not (as nested indentation would)."""
    spt = ReplaceStatements("y = 1\n", limit=13)
    result = apply(LINES, spt, rng=random.Random(1), fraction=1.0)
    assert len(result.sites) == 13
    assert len(result.skipped) == 7


def test_a_transformation_that_only_fails_ends() -> None:
    many = b"x = 1\n" * 3000
    spt = ReplaceStatements("", bad=frozenset(range(1, 3001)))
    result = apply(many, spt, rng=random.Random(1), fraction=1.0)
    assert (result.source, result.sites, len(result.skipped)) == (many, (), 3000)


def test_what_older_grammars_lack_is_dropped() -> None:
    newer = ReplaceStatements("x: int = (y := 1)\n")
    kept = apply(LINES, newer, rng=random.Random(1), fraction=1.0, feature_version=(3, 8))
    assert len(kept.sites) == 20
    dropped = apply(LINES, newer, rng=random.Random(1), fraction=1.0, feature_version=(3, 7))
    assert dropped.sites == ()
    assert dropped.source == LINES


def test_unknown_names_and_shares_are_refused() -> None:
    with pytest.raises(TransformError, match="did you mean 'if_true_wrapper'"):
        transform_source("x = 1\n", "if_true_wraper", seed=0)
    for fraction in (0.0, 1.5, -1.0):
        with pytest.raises(TransformError, match="fraction"):
            transform_source("x = 1\n", "if_true_wrapper", seed=0, fraction=fraction)


@pytest.mark.parametrize(
    "source",
    [b"def f(:\n", b"x = 1\0\n", b"\xff\xfe", b"# coding: no-such\nx\n", b"x = '\xe9'\n", b"\tx"],
)
def test_what_is_no_python_is_refused_with_a_reason(source: bytes) -> None:
    with pytest.raises(TransformError, match=r"Python|encoding|null"):
        transform_source(source, "if_true_wrapper", seed=0)


def test_a_file_that_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(TransformError, match="compiled"):
        transform_source("if x:\n    return 1\n", "dead_code_injector", seed=0)


@pytest.mark.parametrize("spt", list(catalogue()))
def test_empty_files_have_no_sites(spt: str) -> None:
    for source in ("", "\n", "# only a comment", '"""Doc."""\n'):
        result = transform_source(source, spt, seed=0, target="word")
        assert (result.source, result.sites, result.candidates) == (source, (), 0)


@pytest.mark.parametrize("spt", list(catalogue()))
def test_the_listing_of_sites_changes_nothing(spt: str) -> None:
    """Asking for candidates twice gives the same, and the selected ones are among them."""
    source = PROGRAMS["branches"].encode()
    every = transform_source(source, spt, seed=0, target="word")
    some = transform_source(source, spt, seed=7, target="word", fraction=0.5)
    assert every.candidates == some.candidates
    assert set(some.sites) <= set(every.sites)
    assert bool(some.sites) == (some.source != source)


def test_choices_vary_with_the_seed() -> None:
    for spt in catalogue():
        texts = {
            transform_source(PROGRAMS["loops"], spt, seed=seed, target="word", fraction=0.5).source
            for seed in range(8)
        }
        sites = transform_source(PROGRAMS["loops"], spt, seed=0, target="word").candidates
        assert len(texts) > 1 or sites < 2, spt


# -- another process, another hash seed, another depth of the stack ----------------------------


def every_rewrite() -> list[str]:
    return [
        json_digest(str(transform_source(source, spt, seed=11, fraction=0.7, target="word").source))
        for spt in catalogue()
        for source in PROGRAMS.values()
    ]


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_rewrites_are_the_same_in_another_process(hash_seed: str) -> None:
    script = "from tests.transforms.test_engine import every_rewrite; print(*every_rewrite())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == every_rewrite()


def _at_depth(depth: int, source: str) -> str:
    if depth:
        return _at_depth(depth - 1, source)
    return str(transform_source(source, "if_else_switcher", seed=0).source)


def test_long_expressions_are_read_at_any_depth_of_the_stack() -> None:
    chain = " + ".join(f"a[{number}]" for number in range(2500))
    source = f"def f(a, x):\n    y = {chain}\n    return 1 if x else 2\n"
    assert _at_depth(600, source) == _at_depth(0, source) != source


def test_what_no_parser_can_read_is_said() -> None:
    chain = "-" * 100_000 + "1"
    with pytest.raises(TransformError, match=r"too deep|not Python"):
        transform_source(f"x = {chain}\n", "if_else_switcher", seed=0)


def test_deep_chains_of_conditions_lose_only_the_sites_beyond_the_limit() -> None:
    source = "x = " + "1 if c else " * 240 + "2\n"
    result = transform_source(source, "if_else_switcher", seed=0)
    assert len(result.sites) + len(result.skipped) == 240
    assert len(result.sites) > 150
    ast.parse(result.source)


def test_deep_blocks_stay_within_the_limit_of_indentation() -> None:
    lines = ["def f(a):"]
    lines += ["    " * depth + "if a:" for depth in range(1, 95)]
    lines += ["    " * 95 + f"a += {number}" for number in range(6)]
    source = "\n".join(lines) + "\n"
    for spt in catalogue():
        result = transform_source(source, spt, seed=0, target="word")
        compile(result.source, "<deep>", "exec")
        assert not [s for s in result.skipped if s.reason == "overlap"]


def test_an_elif_chain_of_thousands_is_read() -> None:
    chain = "".join(f"elif b == {number}:\n    x = {number}\n" for number in range(1500))
    source = f"if a:\n    x = 1\n{chain}else:\n    x = 2\n"
    result = transform_source(source, "double_negation_injector", seed=0)
    assert len(result.sites) == 1501
