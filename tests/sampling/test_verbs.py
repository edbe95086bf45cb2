"""`jagged prepare` and `jagged variant` on a real instance of this repository."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_jagged.__main__ import main
from pytest_jagged.records import session_lock
from tests.sampling.repository import ReplaceText, pool

STOCKROOM = Path(__file__).parents[2] / "instances" / "stockroom"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A study whose variants are prepared."""
    folder = tmp_path_factory.mktemp("study")
    _write_study(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAGGED_CACHE", str(folder / "cache"))
        assert main(["prepare", *_study(folder), "--json", str(folder / "out.json")]) == 0
        yield folder


def _write_study(folder: Path, runs: int = 2, sampler: str = "{}") -> None:
    (folder / "study.yaml").write_text(
        f"name: small\nruns: {runs}\ninstances: [{{path: {STOCKROOM}}}]\nsampler: {sampler}\n"
    )


def _study(folder: Path) -> list[str]:
    return [str(folder / "study.yaml"), "--reports", str(folder / "reports")]


def _variant(folder: Path, *arguments: str) -> int:
    study, *reports = _study(folder)
    return main(["variant", study, *arguments, *reports])


def test_prepare_makes_a_certificate_for_every_index(folder: Path) -> None:
    value = json.loads((folder / "out.json").read_text("utf-8"))
    certificates = value["certificates"]
    assert [c["index"] for c in certificates] == [1, 2]
    assert all(c["certified"] and c["tests_compared"] > 0 for c in certificates)
    stored = sorted((folder / "reports/small/variants/stockroom").glob("v*.json"))
    assert [path.name for path in stored] == [
        f"v{c['index']:02d}.{c['key'][:8]}.json" for c in certificates
    ]


def test_preparing_again_does_nothing_but_print(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = folder / "reports/small/variants/stockroom"
    before = {path.name: path.stat().st_mtime_ns for path in stored.iterdir()}
    assert main(["prepare", *_study(folder)]) == 0
    assert {path.name: path.stat().st_mtime_ns for path in stored.iterdir()} == before
    table = capsys.readouterr().out.splitlines()
    assert table[0].split()[:2] == ["instance", "certified"]
    assert table[1].split()[:2] == ["stockroom", "2/2"]


@pytest.mark.usefixtures("folder")  # its cache
def test_an_index_without_a_certified_draw_is_a_finding(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    breaking = pool(ReplaceText("if_true_wrapper", "return", "yield"))
    monkeypatch.setattr("pytest_jagged.transforms.catalogue", lambda: breaking)
    _write_study(tmp_path, 1, "{transformations: [if_true_wrapper], n_transformations: 1}")
    assert main(["prepare", *_study(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "stockroom v01, draw 5 (if_true_wrapper): " in output.out
    assert "[1/1] stockroom v01: no certified draw: " in output.err
    assert _variant(tmp_path, "stockroom", "v01") == 1
    assert "stockroom v01: no certified draw" in capsys.readouterr().err


def test_prepare_leaves_a_store_in_use_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with session_lock(folder / "reports" / "small"):
        assert main(["prepare", *_study(folder)]) == 1
    assert "in use by process" in capsys.readouterr().err


def test_a_variant_is_described(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _variant(folder, "stockroom", "v01") == 0
    text = capsys.readouterr().out
    assert text.startswith("stockroom v01  key ")
    assert "sites applied" in text
    assert text.count("(file probability ") == 3


def test_the_patch_leads_from_the_seed_to_the_tree(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert _variant(folder, "stockroom", "2", "--diff") == 0
    patch = capfdbinary.readouterr().out
    assert patch.startswith(b"diff --git a/")
    assert _variant(folder, "stockroom", "v02", "--into", str(tmp_path / "variant")) == 0
    seed = tmp_path / "seed"
    subprocess.run(["cp", "-r", STOCKROOM / "repo", seed], check=True)
    subprocess.run(["git", "init", "-q"], cwd=seed, check=True)
    subprocess.run(["git", "apply", "-"], cwd=seed, input=patch, check=True)
    subprocess.run(
        ["diff", "-r", "-x", ".git", "-x", "__pycache__", seed, tmp_path / "variant"], check=True
    )


def test_a_reader_that_stops_early_is_no_error(folder: Path) -> None:
    study, *reports = _study(folder)
    jagged = [sys.executable, "-m", "pytest_jagged"]
    shown = subprocess.Popen(
        [*jagged, "variant", study, "stockroom", "v01", "--diff", *reports],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.close()
    assert shown.stderr.read() == b""
    shown.stderr.close()
    assert shown.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stokroom", "v01"], "no instance 'stokroom'; did you mean 'stockroom'?"),
        (["stockroom", "v01", "--into", "."], "exists; name a folder that does not"),
    ],
)
def test_usage_errors_are_one_line(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _variant(folder, *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("index", ["v00", "x", "-1", "v1.5"])
def test_an_index_that_is_none_is_a_usage_error(folder: Path, index: str) -> None:
    with pytest.raises(SystemExit) as stop:
        _variant(folder, "stockroom", index)
    assert stop.value.code == 2
