"""The project's own conftest.py: where JAGGED_REQUIRE names a marker, its tests may not skip."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import Run

CONFTEST = (Path(__file__).parents[2] / "conftest.py").read_text()


@pytest.fixture
def skipping(pytester: pytest.Pytester) -> Path:
    pytester.makeini("[pytest]\nmarkers =\n  network: n\n  docker: d\n  slow: s\n")
    pytester.makeconftest(CONFTEST)
    return pytester.makepyfile(
        """
        import pytest

        @pytest.mark.network
        def test_in_the_test(): pytest.skip("no index")

        @pytest.mark.network
        @pytest.mark.skipif(True, reason="no index")
        def test_by_a_mark(): pass

        @pytest.fixture
        def service(): pytest.skip("no index")

        @pytest.mark.network
        def test_in_a_fixture(service): pass

        @pytest.mark.network
        @pytest.mark.xfail(reason="known")
        def test_expected(): assert False

        @pytest.mark.docker
        def test_other(): pytest.skip("no engine")
        """
    )


def test_skips_of_required_markers_fail(
    skipping: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAGGED_REQUIRE", "network, slow")
    result = run(skipping, "-rfE")
    result.assert_outcomes(failed=1, errors=2, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["*required here (network): *no index*"])


def test_nothing_is_required_by_default(
    skipping: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAGGED_REQUIRE", raising=False)
    run(skipping).assert_outcomes(skipped=4, xfailed=1)


def test_an_unknown_marker_is_refused(
    skipping: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAGGED_REQUIRE", "netwrok")
    result = run(skipping)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: JAGGED_REQUIRE: 'netwrok' is no marker*"])
