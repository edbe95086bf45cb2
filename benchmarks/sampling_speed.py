"""Sampling 20 variants of sympy at the paper's settings, in units of one LibCST parse of its files.

R is the CPU time of `libcst.parse_module` on every source file, once, in one process; a pass of
LibCST with positions per transformation and file would cost about 6.6 R, 20 variants that way about
200 R. Source files are those that the sampler may rewrite (`Instance.is_source_file`: no tests, no
setup.py, no docs). All figures are CPU time; each runs in a process of its own.

    python benchmarks/sampling_speed.py SYMPY_TREE [--every 8] [--variants 20] [--workers 2]

SYMPY_TREE is an unpacked sdist (`pip download --no-deps --no-binary :all: sympy==1.13.3`).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from pytest_jagged.contracts.instance import Instance, Keywords, ResultsMode, ResultsSource
from pytest_jagged.contracts.settings import SamplerSettings
from pytest_jagged.contracts.variant import Variant

GOLD = ("sympy/core/mul.py", "sympy/solvers/inequalities.py")
KEYWORDS = Keywords(methods=("simplify", "as_coeff_Mul"), literals=("real part", "not implemented"))
SEED = 0
SETTINGS = SamplerSettings()  # the paper's: N_t = 3, N_k = 5, N_f = 10, φ = 0.7


def instance_of(root: Path, every: int) -> Instance:
    """Every *every*-th source file in sorted order, and the gold files."""
    return Instance(
        id="sympy",
        problem_statement="",
        seed=root,
        seed_digest=f"every {every}",
        digest="",
        test_command="",
        results=ResultsSource(ResultsMode.PYTEST),
        fail_to_pass=(),
        pass_to_pass=(),
        gold_patch="",
        gold_files=GOLD,
        source_globs=("sympy/**",),
        python_version=sys.version_info[:2],
    )


def source_files(root: Path, every: int) -> list[str]:
    from pytest_jagged.sampling.tree import SeedTree

    instance = instance_of(root, every)
    files = SeedTree(root).source_files(instance)
    return sorted({*files[::every], *GOLD})


def link_subset(root: Path, every: int, folder: Path) -> None:
    """The chosen files as a tree of their own; `draw_variant` reads a tree."""
    for path in source_files(root, every):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((root / path).read_bytes())


def parse_all(root: Path) -> None:
    import libcst

    for path in sorted(root.rglob("*.py")):
        libcst.parse_module(path.read_bytes())


def variants(root: Path, indices: range) -> Iterator[Variant]:
    from pytest_jagged import transforms
    from pytest_jagged.sampling.sampler import draw_variant

    instance, catalogue = instance_of(root, 1), transforms.catalogue()
    for index in indices:
        yield draw_variant(
            instance,
            index=index,
            draw=1,
            study_seed=SEED,
            settings=SETTINGS,
            keywords=KEYWORDS,
            catalogue=catalogue,
        )


def draw(root: Path, indices: range) -> None:
    changed = sites = 0
    for variant in variants(root, indices):
        changed += len(variant.edits)
        sites += len(variant.sites)
    print(f"{changed} changed files, {sites} sites")


def compile_all(root: Path, indices: range) -> None:
    """Prints the CPU time of the certificates' compile step alone, without the drawing."""
    from pytest_jagged.sampling.compilation import compile_fault

    instance, spent = instance_of(root, 1), 0.0
    for variant in variants(root, indices):
        began = time.process_time()
        assert compile_fault(instance, variant.edits) is None
        spent += time.process_time() - began
    print(f"{spent:.3f}")


def measure(task: str, root: Path, first: int, last: int) -> tuple[float, float, str]:
    """CPU seconds, peak memory in MB and output of a task in a process of its own."""
    command = [sys.executable, __file__, str(root), "--task", task, str(first), str(last)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu, memory = done.stderr.split()[-2:]
    return float(cpu), float(memory), done.stdout.strip()


def run_task(task: str, root: Path, first: int, last: int) -> None:
    began = time.process_time()
    if task == "parse":
        parse_all(root)
    elif task == "draw":
        draw(root, range(first, last))
    else:
        compile_all(root, range(first, last))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time() - began, peak, file=sys.stderr)


def report(root: Path, count: int, workers: int) -> None:
    """Parses stand before, between and after the rest, so that a machine that slows down cannot
    pass for a ratio; R is their median.
    """
    parses = [measure("parse", root, 0, 0)]
    cpu, memory, what = measure("draw", root, 1, count + 1)
    parses.append(measure("parse", root, 0, 0))
    compiled = float(measure("compile", root, 1, count + 1)[2])
    step = -(-count // workers)
    shares = [(first, min(count + 1, first + step)) for first in range(1, count + 1, step)]
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda share: measure("draw", root, *share), shares))
    parses.append(measure("parse", root, 0, 0))
    times = sorted(seconds for seconds, _, _ in parses)
    unit, longest = median(times), max(seconds for seconds, _, _ in found)
    print(f"R: {unit:.2f} s CPU, median of three from {times[0]:.2f} to {times[-1]:.2f}")
    print(
        f"{count} variants, one process: {cpu / unit:.2f} R (limit 10), peak {memory:.0f} MB"
        f" (limit 1500); {what}"
    )
    print(f"compile step of their certificates: {compiled / unit:.2f} R")
    print(f"{workers} workers: {longest / unit:.2f} R each at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, metavar="SYMPY_TREE")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--variants", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--task", nargs=3, metavar=("NAME", "FIRST", "LAST"))
    options = parser.parse_args()
    if options.task:
        run_task(options.task[0], options.root, *map(int, options.task[1:]))
        return
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        link_subset(options.root, options.every, folder)
        files = source_files(options.root, options.every)
        lines = sum((options.root / path).read_bytes().count(b"\n") for path in files)
        print(
            f"one source file in {options.every} below sympy/, and the gold files"
            f" {', '.join(GOLD)}: {len(files)} files, {lines} lines; keywords"
            f" {KEYWORDS.methods} {KEYWORDS.literals}; seed {SEED}"
        )
        report(folder, options.variants, options.workers)


if __name__ == "__main__":
    main()
