"""The id of an instance folder, read without the rest of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.description import DESCRIPTION_FILE, check_id

__all__ = ["read_id"]


def read_id(folder: Path) -> str:
    """The `id` of `instance.yaml`, by default the folder's name.

    Reading stops at the key: a file with thousands of test ids costs no more than a short one.

    Raises:
        InstanceError: no folder, no description in it, not YAML before the id, or no valid id.
    """
    import yaml

    path = folder / DESCRIPTION_FILE
    if not folder.is_dir():
        raise InstanceError(f"{folder}: no such folder; check the path")
    try:
        with path.open(encoding="utf-8") as stream:
            found = _find_id(yaml.SafeLoader(stream))
    except FileNotFoundError:
        raise InstanceError(f"{folder}: no {DESCRIPTION_FILE} in it; is it an instance?") from None
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise InstanceError(f"{path}:{line}: not valid YAML: {error.problem}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InstanceError(f"{path}: cannot be read: {error}") from None
    if found is None or found[1] is None:
        return check_id(folder.resolve().name, path)
    line, value = found
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InstanceError(
            f"{path}:{line}: id: YAML reads this as {kind} {value}; write it in quotes"
        )
    return check_id(value, path)


def _find_id(loader: Any) -> tuple[int, Any] | None:
    """Line and value of the top-level key `id`; None without the key."""
    import yaml

    depth, is_key = 0, True
    previous: Any = None
    while loader.check_event():
        event = loader.get_event()
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            if depth == 1:
                if not is_key and getattr(previous, "value", None) == "id":
                    line = 1 if event.start_mark is None else event.start_mark.line + 1
                    return line, _value(loader, event)
                previous, is_key = event, not is_key
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
    return None


def _value(loader: Any, event: Any) -> Any:
    import yaml

    if isinstance(event, yaml.MappingStartEvent):
        return {}
    if not isinstance(event, yaml.ScalarEvent):
        return []
    tag = event.tag or loader.resolve(yaml.ScalarNode, event.value, event.implicit)
    return loader.construct_object(yaml.ScalarNode(tag, event.value))
