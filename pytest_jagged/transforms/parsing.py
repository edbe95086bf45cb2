"""Parse and compile text, whatever the stack is like when asked."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_jagged.errors import TransformError

__all__ = ["compiles", "parse_tree", "room_for_recursion"]

# CPython before 3.12 lets its parser and compiler recurse as deep as Python code still may, so that
# a file of long expressions would be read or not depending on who asks from how deep a stack.
_ROOM = 2000
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse_tree(text: str) -> ast.Module:
    """Raises TransformError for a text that is not Python (to this interpreter)."""
    try:
        with _quiet(), room_for_recursion():
            return ast.parse(text)
    except (RecursionError, MemoryError):
        raise TransformError("nested too deep for this Python's parser") from None
    except _FAILURES as error:
        raise TransformError(f"not Python: {error}") from None


def compiles(text: str, version: tuple[int, int] | None = None) -> bool:
    """Whether this interpreter compiles *text*, in the grammar of an older *version* if given."""
    try:
        with _quiet(), room_for_recursion():
            compile(text, "<rewritten>", "exec", dont_inherit=True)
            if version is not None and version < sys.version_info[:2]:
                ast.parse(text, feature_version=version)
    except _FAILURES:
        return False
    return True


@contextmanager
def _quiet() -> Iterator[None]:
    """Invalid escapes of a file are its own business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def room_for_recursion() -> Iterator[None]:
    """The same room for recursion at every depth of the stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _depth() + _ROOM))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
