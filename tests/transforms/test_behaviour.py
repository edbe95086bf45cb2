"""Whatever an SPT does to a program, its output stays."""

from __future__ import annotations

import pytest

from pytest_jagged.transforms import catalogue, transform_source
from tests.transforms.programs import PROGRAMS
from tests.transforms.running import outputs

# Words of the programs, so that decoys could do harm if they were put in wrong places.
TARGETS = ("save", "total")
SEEDS = range(4)


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    results = outputs(PROGRAMS)
    assert not [name for name, text in results.items() if "ends with" in text], results
    return results


def _rewritten(spt: str, program: str, seed: int) -> str:
    fraction = 1.0 if seed % 2 == 0 else 0.6
    target = TARGETS[seed % 2] if catalogue()[spt].keyword_bound else None
    result = transform_source(PROGRAMS[program], spt, seed=seed, fraction=fraction, target=target)
    assert not [s for s in result.skipped if s.reason == "result does not compile"]
    assert isinstance(result.source, str)
    return result.source


@pytest.mark.parametrize("spt", list(catalogue()))
def test_programs_print_the_same(spt: str, expected: dict[str, str]) -> None:
    variants = {
        f"{program}/{seed}": _rewritten(spt, program, seed)
        for program in PROGRAMS
        for seed in SEEDS
    }
    for name, text in outputs(variants).items():
        assert text == expected[name.partition("/")[0]], variants[name]


def test_every_spt_finds_sites_in_the_programs() -> None:
    for spt, transformation in catalogue().items():
        target = "unheard" if transformation.keyword_bound else None
        found = [transform_source(p, spt, seed=0, target=target).sites for p in PROGRAMS.values()]
        assert sum(map(len, found)), spt


@pytest.mark.parametrize("seed", range(6))
def test_all_spts_one_after_another(seed: int, expected: dict[str, str]) -> None:
    names = sorted(catalogue())
    order = names[seed:] + names[:seed]
    variants = dict(PROGRAMS)
    for spt in order if seed % 2 else reversed(order):
        target = TARGETS[seed % 2] if catalogue()[spt].keyword_bound else None
        for program, source in variants.items():
            result = transform_source(source, spt, seed=seed, fraction=0.5, target=target)
            assert isinstance(result.source, str)
            variants[program] = result.source
    for program, text in outputs(variants).items():
        assert text == expected[program], variants[program]
