"""The native format: a folder with `instance.yaml`, `issue.md` and what its source needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pytest_jagged.contracts.instance import Instance, ResultsMode
from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.description import Description, read_description
from pytest_jagged.instances.diff import patched_files
from pytest_jagged.instances.host_python import HostPython, find_python
from pytest_jagged.instances.identity import content_digest, task_digest, with_pass_to_pass
from pytest_jagged.instances.index import read_id
from pytest_jagged.instances.lock_file import read_lock
from pytest_jagged.instances.material import Material, read_material
from pytest_jagged.instances.virtual_environment import (
    canonical_name,
    prepare_interpreter,
    requirement_name,
)

__all__ = ["NativeFolder"]

Progress = Callable[[str], None]


class NativeFolder:
    """One instance folder, as a source of one instance."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list_ids(self) -> tuple[str, ...]:
        return (read_id(self._folder),)

    def load(self, instance_id: str, cache: Path, progress: Progress) -> Instance:
        """Raises InstanceError that names the instance or the file."""

        def say(line: str) -> None:
            progress(f"{instance_id}: {line}")

        description = read_description(self._folder)
        try:
            material = read_material(description, cache, say)
            _check_paths(description, material)
            python = find_python(description.python)
            packages = _packages(description)
            package = _own_package(description)
            interpreter = prepare_interpreter(python, packages, package, cache, say)
        except InstanceError as error:
            raise _located(error, description) from None
        instance = _instance(description, material, python, interpreter)
        instance = replace(instance, digest=task_digest(instance, packages))
        return _with_known_pass_to_pass(instance, description)


def _located(error: InstanceError, description: Description) -> InstanceError:
    where = str(description.file)
    return error if str(error).startswith(where) else InstanceError(f"{where}: {error}")


def _check_paths(description: Description, material: Material) -> None:
    root = description.import_root
    if not (material.seed / root).is_dir():
        raise InstanceError(f"import_root: no folder {root!r} in the tree; correct it")
    patched = patched_files(material.gold_patch)
    for name in description.gold_files:
        if name not in patched and not (material.seed / name).is_file():
            raise InstanceError(f"gold_files: no file {name!r} in the tree; correct it")


def _packages(description: Description) -> tuple[str, ...]:
    packages = description.test_deps
    names = [requirement_name(package) for package in packages]
    if description.results.mode is ResultsMode.PYTEST and "pytest" not in names:
        packages = ("pytest", *packages)
    package = _own_package(description)
    if package is not None and canonical_name(package) in names:
        raise InstanceError(
            f"test_deps: {package} is the instance's own package; the tree is imported instead"
        )
    return packages


def _own_package(description: Description) -> str | None:
    return description.source.name or None


def _instance(
    description: Description, material: Material, python: HostPython, interpreter: Path
) -> Instance:
    return Instance(
        id=description.id,
        problem_statement=_read_issue(description),
        seed=material.seed,
        seed_digest=material.seed_digest,
        digest="",
        test_command=description.test_command,
        results=description.results,
        fail_to_pass=description.fail_to_pass,
        pass_to_pass=(),
        gold_patch=material.gold_patch,
        gold_files=material.gold_files,
        overlay=material.overlay,
        import_root=description.import_root,
        interpreter=str(interpreter),
        python_version=python.minor,
        test_globs=description.test_globs,
        source_globs=description.source_globs,
        image=description.image,
        workdir=description.workdir,
        env=description.env,
        network=description.network,
        timeouts=description.timeouts,
        keywords=description.keywords,
        tags=description.tags,
        pass_to_pass_pending=True,
    )


def _read_issue(description: Description) -> str:
    path = description.folder / "issue.md"
    try:
        text = path.read_text("utf-8").strip()
    except FileNotFoundError:
        raise description.error(f"no file {path.name} beside it; write the issue there") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"{path}: cannot be read: {error}") from None
    if not text:
        raise InstanceError(f"{path}: is empty; write the issue")
    return text + "\n"


def _with_known_pass_to_pass(instance: Instance, description: Description) -> Instance:
    """The author's list, or the lock's where it was made for this content and this Python."""
    if description.pass_to_pass is not None:
        return with_pass_to_pass(instance, description.pass_to_pass, proven=False)
    lock = read_lock(description.folder)
    version = "{}.{}".format(*instance.python_version)
    if lock is None or version not in lock.pythons or lock.content != content_digest(instance):
        return instance
    return with_pass_to_pass(instance, lock.pass_to_pass, lock.flaky, proven=True)
