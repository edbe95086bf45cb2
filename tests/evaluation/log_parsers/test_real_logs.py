"""Real logs of SWE-bench's projects: the same map as swebench's parsers give, test by test.

Counts and digests were taken from swebench 5.0.2 (each in its own process, on the same bytes).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest

from pytest_jagged.contracts.evaluation import TestStatus
from pytest_jagged.evaluation.log_parsers import find_parser
from pytest_jagged.evaluation.log_parsers.markers import read_log
from pytest_jagged.evaluation.log_parsers.status_words import STATUS_WORDS
from pytest_jagged.evaluation.verdict import judge

DATA = Path(__file__).parents[4] / "shared" / "data" / "swebench"
LITE = [
    ("astropy__astropy-12907", "astropy", {"PASSED": 15}, "bc35e0898e7187c2"),
    ("django__django-11099", "django", {"PASSED": 22}, "358083c141c17632"),
    ("matplotlib__matplotlib-23562", "matplotlib", {"PASSED": 138}, "52336cd29a4957c0"),
    ("mwaskom__seaborn-3010", "seaborn", {"PASSED": 3}, "f3a1f4f061772cfd"),
    ("mwaskom__seaborn-3190", "seaborn", {"PASSED": 85}, "6011908574b77246"),
    ("pallets__flask-4992", "flask", {"PASSED": 19}, "891a6d3c68ea35fa"),
    ("pallets__flask-5063", "flask", {"PASSED": 56}, "e2a9602724d9e754"),
    ("psf__requests-2674", "requests", {"PASSED": 159, "FAILED": 2}, "3d0a83272e53f512"),
    ("psf__requests-863", "requests", {"PASSED": 69, "FAILED": 7}, "b97996e634c724ff"),
    ("pydata__xarray-3364", "xarray", {"PASSED": 112, "XFAIL": 1}, "3ffde9a16fe049d7"),
    ("pylint-dev__pylint-5859", "pylint", {"PASSED": 11}, "f4ffc84f65b323cb"),
    ("pytest-dev__pytest-5227", "pytest", {"PASSED": 37, "ERROR": 2}, "e1fbf7df4e7f49a9"),
    ("scikit-learn__scikit-learn-13241", "scikit", {"PASSED": 55}, "991499c3983df58b"),
    (
        "sphinx-doc__sphinx-8721",
        "sphinx",
        {"PASSED": 4, "FAILED": 1, "ERROR": 1},
        "c2c7b6680a92c532",
    ),
    ("sympy__sympy-12419", "sympy", {"PASSED": 26}, "6a3cb94c244523ea"),
    ("sympy__sympy-13480", "sympy", {"PASSED": 44}, "9dabb47726469623"),
]
SMITH = [
    ("getmoto__moto.694ce1f4.pr_7331", 210),
    ("pandas-dev__pandas.95280573.pr_53652", 11),
    ("pydantic__pydantic.acb0f10f.pr_8316", 169),
]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real logs at {DATA}")


def in_swebenchs_words(tests: Mapping[str, TestStatus]) -> dict[str, str]:
    words = {status: word for word, status in STATUS_WORDS.items()}
    return {name: words[status] for name, status in tests.items()}


def lite_log(name: str) -> str:
    return (DATA / "logs_lite_2024" / f"{name}.gold.eval.log").read_text("utf-8")


@pytest.mark.parametrize(("name", "parser", "counts", "digest"), LITE, ids=[row[0] for row in LITE])
def test_lite(name: str, parser: str, counts: dict[str, int], digest: str) -> None:
    found = in_swebenchs_words(find_parser(f"parse_log_{parser}")(lite_log(name)))
    assert Counter(found.values()) == counts
    listed = json.dumps(sorted(found.items())).encode()
    assert hashlib.sha256(listed).hexdigest()[:16] == digest


@pytest.mark.parametrize(("name", "tests"), SMITH, ids=[row[0] for row in SMITH])
def test_swe_smith(name: str, tests: int) -> None:
    """All three, of which swebench itself reads one: the others have a progress column."""
    folder = DATA / "logs_swesmith" / name
    found = read_log((folder / "test_output.txt").read_bytes(), find_parser("pytest_verbose"))
    assert (len(found.tests), found.trouble) == (tests, "")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    lists = report["tests_status"]
    assert not lists["FAIL_TO_PASS"]["failure"] + lists["PASS_TO_PASS"]["failure"]
    verdict = judge(found.tests, lists["FAIL_TO_PASS"]["success"], lists["PASS_TO_PASS"]["success"])
    assert verdict.resolved is report["resolved"] is True
    assert verdict.missing == ()


def test_what_swebench_reads_of_the_swe_smith_logs() -> None:
    parser = find_parser("parse_log_pytest_v2")
    found = [
        len(
            read_log((DATA / "logs_swesmith" / name / "test_output.txt").read_bytes(), parser).tests
        )
        for name, _ in SMITH
    ]
    assert found == [0, 11, 0]


@pytest.mark.parametrize(("log", "resolved"), [("base39", False), ("gold39", True)])
def test_sympy_before_and_after_the_fix(log: str, resolved: bool) -> None:
    data = (DATA / "sympy_local" / f"12489.{log}.log").read_bytes()
    ids = json.loads((DATA / "sympy_local" / "12489.ids.json").read_text("utf-8"))
    found = read_log(data, find_parser("sympy"))
    verdict = judge(found.tests, ids["FAIL_TO_PASS"], ids["PASS_TO_PASS"])
    assert verdict.resolved is resolved
    assert verdict.missing == ()
    expected = () if resolved else ("test_Permutation_subclassing",)
    assert verdict.failed_fail_to_pass == expected
    assert verdict.failed_pass_to_pass == ()


@pytest.mark.slow
def test_equal_to_the_installed_swebench() -> None:
    """Every parser that both have, on every log; each in swebench's own process."""
    try:
        metadata.version("swebench")
    except metadata.PackageNotFoundError:
        pytest.skip("swebench is not installed (extra `swebench`)")
    for name, parser, _, _ in LITE:
        log = lite_log(name)
        assert find_parser(parser)(log) == find_parser(f"swebench:{parser}")(log), name
