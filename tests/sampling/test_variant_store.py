from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jagged import transforms
from pytest_jagged.contracts.instance import FileEdit, Keywords
from pytest_jagged.contracts.variant import (
    Certificate,
    CertifiedVariant,
    GoldSolves,
    RejectedDraw,
    SiteRecord,
    SiteStatus,
    SkippedStep,
    Variant,
)
from pytest_jagged.errors import StoreError
from pytest_jagged.sampling.pool import pool_identity
from pytest_jagged.sampling.variant import VariantStore, identify_variant, variant_key
from tests.sampling.repository import AppendComment, ReplaceText, make_instance, pool, settings

KEY = "ab" * 32
SEED = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
VARIANT = Variant(
    instance_id="some/instance",
    index=3,
    draw=1,
    seed=7,
    transformations=("one", "two"),
    edits=(FileEdit("a.py", b"x = 2\r\n\xff\x00"), FileEdit("b.py", b"")),
    sites=(
        SiteRecord(1, "one", None, "a.py", 4, 0, 5, "rule", SiteStatus.APPLIED),
        SiteRecord(2, "two", "t\u00e9xt", "b.py", 1, 2, 1, "r", SiteStatus.DROPPED, "overlap"),
    ),
    skipped=(SkippedStep(2, "two", None, None, "why"), SkippedStep(1, "one", "x", "c.py", "no")),
    file_probabilities=(0.1, 0.30000000000000004),
)
CERTIFICATE = Certificate(
    key=KEY,
    instance_id="some/instance",
    index=3,
    certified=True,
    rejected=(RejectedDraw(0, "3 tests changed", ("two", "one")),),
    compiled_files=2,
    tests_compared=40,
    unchanged=False,
    gold_unchanged=True,
    gold_solves=GoldSolves.UNKNOWN,
    lines_changed=5,
    lines_total=100,
    gold_lines_changed=0,
    gold_lines_total=10,
    flaky=("tests/test_a.py::test[\u2603]",),
)
CERTIFIED = CertifiedVariant(CERTIFICATE, VARIANT)


def test_what_is_stored_comes_back_whole(tmp_path: Path) -> None:
    store = VariantStore(tmp_path)
    path = store.save(CERTIFIED, SEED)
    assert path.name == "v03.abababab.json"
    assert path.parent.parent == tmp_path / "variants"
    assert VariantStore(tmp_path).find("some/instance", 3, KEY) == CERTIFIED


def test_a_refused_index_comes_back_too(tmp_path: Path) -> None:
    store = VariantStore(tmp_path)
    refused = CertifiedVariant(replace(CERTIFICATE, certified=False), None)
    store.save(refused, {})
    assert store.find("some/instance", 3, KEY) == refused


def test_another_key_or_index_is_not_found(tmp_path: Path) -> None:
    store = VariantStore(tmp_path)
    store.save(CERTIFIED, SEED)
    assert store.find("some/instance", 3, "cd" * 32) is None
    assert store.find("some/instance", 2, KEY) is None
    # The same eight letters of another key.
    assert store.find("some/instance", 3, KEY[:8] + "0" * 56) is None


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"schema_version": 99}',
        b'{"schema_version": 1, "certificate": {}, "variant": null}',
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, damage: bytes) -> None:
    store = VariantStore(tmp_path)
    path = store.save(CERTIFIED, SEED)
    path.write_bytes(damage)
    with pytest.raises(StoreError, match=r"v03\.abababab\.json.*move the file away"):
        store.find("some/instance", 3, KEY)


def test_bytes_that_do_not_match_their_digest_are_refused(tmp_path: Path) -> None:
    store = VariantStore(tmp_path)
    path = store.save(CERTIFIED, SEED)
    value = json.loads(path.read_text("utf-8"))
    first, second = value["variant"]["edits"]
    first["zlib"], second["zlib"] = second["zlib"], first["zlib"]
    path.write_text(json.dumps(value))
    with pytest.raises(StoreError, match=r"a\.py: bytes do not match"):
        store.find("some/instance", 3, KEY)


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    store = VariantStore(tmp_path)
    path = store.save(CERTIFIED, SEED)
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208 - names only


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "variants").write_text("in the way")
    store = VariantStore(tmp_path)
    with (
        pytest.raises(StoreError, match="cannot be made"),
        store.lock(store.path("some/instance", 3, KEY)),
    ):
        pass


def test_the_key_covers_what_decides_a_variant_and_nothing_else(tmp_path: Path) -> None:
    instance = make_instance(tmp_path)
    sampler = settings(n_transformations=1)
    arguments = {
        "instance": instance,
        "index": 1,
        "study_seed": 0,
        "settings": sampler,
        "keywords": Keywords(),
        "catalogue": pool(AppendComment("a"), AppendComment("b")),
    }

    def key(**changes: object) -> str:
        return identify_variant(**{**arguments, **changes})  # type: ignore[arg-type]

    others = [
        key(instance=replace(instance, digest="other")),
        key(index=2),
        key(study_seed=1),
        key(settings=replace(sampler, n_transformations=2)),
        key(settings=replace(sampler, n_keywords=4)),
        key(settings=replace(sampler, n_files=4)),
        key(settings=replace(sampler, site_fraction=0.5)),
        key(settings=replace(sampler, transformations=("a",))),
        key(keywords=Keywords(methods=("x",))),
        key(keywords=Keywords(literals=("x",))),
        key(catalogue=pool(AppendComment("a"), AppendComment("c"))),
    ]
    assert len({key(), *others}) == len(others) + 1
    assert key(settings=replace(sampler, runs_per_variant=5)) == key()
    assert key(settings=replace(sampler, transformations=("b", "a"))) == key()


def test_the_key_covers_version_and_python() -> None:
    def key(*versions: object) -> str:
        return variant_key("d", 1, 0, settings(), "k", ["a"], *versions)  # type: ignore[arg-type]

    assert len({key("1.0", (3, 11)), key("1.1", (3, 11)), key("1.0", (3, 12))}) == 3


def test_a_users_transformation_is_known_by_its_code_ours_by_its_name() -> None:
    (own,) = pool_identity([ReplaceText("mine", "a", "b")])
    assert own.startswith("mine@")
    ours = list(transforms.catalogue().values())
    assert pool_identity(ours) == [transformation.name for transformation in ours]
