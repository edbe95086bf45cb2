"""`jagged transform`: what it prints, what it counts, what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jagged.__main__ import main
from pytest_jagged.transforms import transform_source

SOURCE = (
    b"# -*- coding: latin-1 -*-\r\n"
    b"def f(a):\r\n"
    b"    name = 'caf\xe9s'\r\n"
    b"    if a:\r\n"
    b"        return name\r\n"
    b"    else:\r\n"
    b"        return 1 if (  # why\r\n"
    b"            a) else 2"
)
SWITCHED = (
    b"# -*- coding: latin-1 -*-\r\n"
    b"def f(a):\r\n"
    b"    name = 'caf\xe9s'\r\n"
    b"    if not (a):\r\n"
    b"        return 1 if (  # why\r\n"
    b"            a) else 2\r\n"
    b"    else:\r\n"
    b"        return name"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "code.py"
    path.write_bytes(SOURCE)
    return path


def _run(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pytest_jagged", "transform", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def test_the_result_is_printed_byte_by_byte(file: Path) -> None:
    done = _run(file, "--spt", "if_else_switcher")
    assert (done.returncode, done.stdout) == (0, SWITCHED)
    assert done.stderr == (b"if_else_switcher: 1 of 1 sites applied; skipped: 1 comment inside\n")


def test_standard_input_is_a_file_too(file: Path) -> None:
    done = _run("-", "--spt", "if_else_switcher", stdin=SOURCE)
    assert done.stdout == SWITCHED


def test_what_differs_is_a_patch_that_git_takes(file: Path) -> None:
    done = _run(file, "--spt", "if_else_switcher", "--diff")
    assert {b"-    if a:\r", b"+    if not (a):\r"} <= set(done.stdout.split(b"\n"))
    subprocess.run(["git", "init", "-q"], cwd=file.parent, check=True)
    relative = done.stdout.replace(str(file).lstrip("/").encode(), b"code.py")
    subprocess.run(
        ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"],
        cwd=file.parent,
        input=relative,
        check=True,
    )
    assert file.read_bytes() == SWITCHED


def test_a_file_without_sites_is_printed_as_it_is(file: Path) -> None:
    for extra, expected in (((), SOURCE), (("--diff",), b"")):
        done = _run(file, "--spt", "while_loop_unroller", *extra)
        assert (done.returncode, done.stdout) == (0, expected)
        assert done.stderr == b"while_loop_unroller: 0 of 0 sites applied\n"


def test_share_seed_and_target_are_those_of_the_function(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "body.py"
    path.write_bytes(b"def f(a):\n" + b"    a += 1\n" * 30)
    spt = "dead_string_assignment"
    options = ["--spt", spt, "--fraction", "0.4", "--seed", "7", "--target", 'a "word"']
    assert main(["transform", str(path), *options]) == 0
    expected = transform_source(
        path.read_bytes(), spt, seed=7, fraction=0.4, target='a "word"', path=str(path)
    )
    out, err = capfdbinary.readouterr()
    assert out == expected.source
    assert err == b"dead_string_assignment: 12 of 30 sites applied\n"


def test_the_name_of_the_file_is_part_of_the_question(tmp_path: Path) -> None:
    for name, count in (("setup.py", 0), ("other.py", 1)):
        (tmp_path / name).write_text("setup(name='package')\n")
        done = _run(tmp_path / name, "--spt", "string_literal_splitter")
        assert done.stderr.startswith(b"string_literal_splitter: %d of" % count)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--spt", "if_else_swicher"], "did you mean 'if_else_switcher'?"),
        (["--spt", "if_true_wrapper", "--fraction", "1.5"], "fraction 1.5: must be above 0"),
        (["--spt", "if_true_wrapper", "--fraction", "nan"], "fraction nan: must be above 0"),
        (["--spt", "if_true_wrapper", "--target", "word"], "if_true_wrapper inserts no target"),
        (["--spt", "dead_method_injection"], "give it a --target"),
        (["--spt", "dead_method_injection", "--target", "a b"], "not a name that a method"),
        (["--spt", "dead_string_assignment", "--target", "a\nb"], "control characters"),
    ],
)
def test_wrong_options_are_said_in_one_line(
    file: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transform", str(file), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_unreadable_files_are_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n")
    for name, status, message in (
        ("missing.py", 2, "No such file"),
        (".", 2, "Is a directory"),
        ("bad.py", 1, "bad.py: not Python: "),
    ):
        assert main(["transform", str(tmp_path / name), "--spt", "if_true_wrapper"]) == status
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert message in err


def test_a_reader_that_stops_reading_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("x = 'some text'\n" * 20_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest_jagged", "transform", path, "--spt", "comparison_swapper"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert errors == b"comparison_swapper: 0 of 0 sites applied\n"
