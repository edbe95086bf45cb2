"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pytest_jagged.errors import StoreError

__all__ = ["disk_trouble", "write_bytes", "write_json"]


def write_json(path: Path, value: Any) -> None:
    """Write *value* as indented JSON; NaN and infinity are refused (ValueError)."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    # Half a character in a JSON text becomes its \\u form: valid UTF-8, and read back the same.
    write_bytes(path, (text + "\n").encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, data: bytes) -> None:
    """Temp file in the same folder, fsync, rename.

    Raises:
        StoreError: the disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as stream:
                os.fchmod(handle, 0o644)  # mkstemp's files are private, reports are not
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise disk_trouble(path, error) from error


def disk_trouble(path: Path, error: OSError) -> StoreError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = "free some disk space" if full else "check the folder"
    return StoreError(f"{path}: cannot be written: {error.strerror or error}; {hint}")
