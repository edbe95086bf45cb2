from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jagged.contracts.digests import json_digest
from tests.sampling.determinism import variant_digests

_SCRIPT = """
import sys
from pathlib import Path
from tests.sampling.determinism import variant_digests
print("\\n".join(variant_digests(Path(sys.argv[1]))))
"""

# One per Python minor, since `ast` and the tokenizer may differ. A change here means that the same
# study file gives other variants than before: raise the version, whose place is in every key.
_GOLDEN = {
    (3, 10): "b90d2a784185f11bdfa50acd5ea0f9a4304666853c25a5b8788b818326fa9cb7",
    (3, 11): "b90d2a784185f11bdfa50acd5ea0f9a4304666853c25a5b8788b818326fa9cb7",
    (3, 12): "b90d2a784185f11bdfa50acd5ea0f9a4304666853c25a5b8788b818326fa9cb7",
    (3, 13): "b90d2a784185f11bdfa50acd5ea0f9a4304666853c25a5b8788b818326fa9cb7",
}


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_variants_are_byte_identical_in_another_process(tmp_path: Path, hash_seed: str) -> None:
    random.seed(int(hash_seed))
    here = variant_digests(tmp_path / "here")
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(tmp_path / "there")],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == here
    assert len(set(here)) == len(here)


def test_variants_are_those_of_this_version(tmp_path: Path) -> None:
    golden = _GOLDEN.get(sys.version_info[:2])
    if golden is None:
        pytest.skip(f"no golden digest for Python {sys.version_info[0]}.{sys.version_info[1]}")
    assert json_digest(variant_digests(tmp_path)) == golden
