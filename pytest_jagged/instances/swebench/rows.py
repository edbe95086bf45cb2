"""Row files: JSON, JSON lines, or parquet."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_jagged.errors import InstanceError
from pytest_jagged.instances.description import check_id

__all__ = ["Row", "read_rows"]


class Row:
    """One row; every method raises InstanceError that names file, instance and column.

    Columns are found in any case of letters, as copies of one data set differ in it.
    """

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self._values = {str(name).lower(): value for name, value in values.items()}
        self.id = check_id(self.text("instance_id"), path)

    def error(self, message: str) -> InstanceError:
        return InstanceError(f"{self.path}: {self._values.get('instance_id')}: {message}")

    def _value(self, column: str) -> Any:
        return self._values.get(column.lower())

    def has(self, column: str) -> bool:
        return self._value(column) not in (None, "")

    def text(self, column: str, default: str | None = None) -> str:
        """A string, possibly empty; required where there is no *default*."""
        value = self._value(column)
        if value is None:
            if default is None:
                raise self.error(f"no column {column!r}; use a complete copy of the data set")
            return default
        if not isinstance(value, str):
            raise self.error(f"{column} is {type(value).__name__}, not text")
        return value

    def unquoted(self, column: str) -> str:
        """A text that some copies write as a JSON string, quotes and escapes included."""
        text = self.text(column, "")
        if text[:1] == '"':
            try:
                value = json.loads(text)
            except ValueError:
                return text
            return value if isinstance(value, str) else text
        return text

    def texts(self, column: str) -> tuple[str, ...]:
        """A list of strings: a real one, or written as JSON or as a Python literal."""
        if column.lower() not in self._values:
            raise self.error(f"no column {column!r}; use a complete copy of the data set")
        value = self._value(column)
        if isinstance(value, str):
            value = self._parse(column, value)
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise self.error(f"{column} is no list of texts")
        return tuple(value)

    def mapping(self, column: str) -> Mapping[str, Any]:
        """A mapping, real or written as JSON or a Python literal; empty where there is none."""
        value = self._value(column)
        if isinstance(value, str):
            value = self._parse(column, value)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(f"{column} is no mapping")
        return value

    def _parse(self, column: str, text: str) -> Any:
        if not text.strip():
            return None
        try:
            return json.loads(text)
        except ValueError:
            pass
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise self.error(f"{column} is neither JSON nor a Python literal") from None


def read_rows(path: Path) -> Mapping[str, Row]:
    """The rows of *path* by id, in the order of the file; read again when the file changes.

    Raises:
        InstanceError: no such file, not of a form we read, or an id twice.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise InstanceError(f"{path}: {error.strerror}; check the path") from None
    return _read_rows(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read_rows(path: Path, _modified: int, _size: int) -> Mapping[str, Row]:
    rows: dict[str, Row] = {}
    for number, value in enumerate(_values(path), 1):
        if not isinstance(value, dict) or not isinstance(value.get("instance_id"), str):
            raise InstanceError(f"{path}: row {number} has no instance_id; is it a data set?")
        row = Row(path, value)
        if row.id in rows:
            raise InstanceError(f"{path}: {row.id!r} is in it twice; remove one row")
        rows[row.id] = row
    return rows


def _values(path: Path) -> list[Any]:
    if path.suffix == ".parquet":
        return _read_parquet(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"{path}: cannot be read: {error}") from None
    try:
        if path.suffix == ".json":
            value = json.loads(text)
            return list(value.values()) if isinstance(value, dict) else list(value)
        # Not splitlines: texts may hold separators that only Python takes for line ends.
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, TypeError) as error:
        form = "a JSON list" if path.suffix == ".json" else "JSON lines"
        raise InstanceError(f"{path}: is not {form}: {error}") from None


def _read_parquet(path: Path) -> list[Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InstanceError(
            f"{path}: pip install 'pytest-jagged[parquet]' to read parquet, or convert the file"
        ) from None
    try:
        return list(pyarrow.parquet.read_table(path).to_pylist())
    except (pyarrow.ArrowException, OSError) as error:
        raise InstanceError(f"{path}: is not a parquet file: {error}") from None
