"""Bytes of a Python file as text and back, with nothing normalised on the way."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass

from pytest_jagged.errors import TransformError

__all__ = ["SourceText", "decode_source", "line_starts", "text_source"]

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SourceText:
    """`text` keeps every line end as it is; `starts` are the offsets at which lines begin."""

    text: str
    encoding: str
    bom: bool
    starts: tuple[int, ...]

    @property
    def newline(self) -> str:
        """The file's first line end; `\\n` where it has none."""
        match = _LINE_END.search(self.text)
        return match[0] if match else "\n"

    def encode(self, text: str) -> bytes:
        """Raises TransformError when *text* has a character that the file's encoding lacks."""
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise TransformError(f"{error.object[error.start]!r} not in {self.encoding}") from None
        return codecs.BOM_UTF8 + data if self.bom else data

    def can_encode(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def offset(self, line: int, column: int) -> int:
        """The offset of an `ast` position: 1-based line, column in UTF-8 bytes."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        content = self.text[start:end]
        if content.isascii():
            return start + column
        return start + len(
            content.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        )

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def line_start(self, offset: int) -> int:
        return self.starts[self.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Just behind the line end of the line that *offset* is on."""
        line = self.line_of(offset)
        return self.starts[line] if line < len(self.starts) else len(self.text)


def decode_source(source: bytes) -> SourceText:
    """Decode by byte order mark and PEP 263 cookie.

    Raises:
        TransformError: unknown encoding, bytes that are not in it, or a null byte.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise TransformError(f"encoding: {error}") from None
    bom = source.startswith(codecs.BOM_UTF8)
    if bom:
        source, encoding = source[len(codecs.BOM_UTF8) :], "utf-8"
    try:
        text = source.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise TransformError(f"encoding: {error}") from None
    return _checked(SourceText(text, encoding, bom, line_starts(text)))


def text_source(text: str) -> SourceText:
    """A text that is no file: whatever its cookie says, it is characters already.

    Raises:
        TransformError: a null byte, or a lone surrogate.
    """
    source = SourceText(text, "utf-8", False, line_starts(text))
    source.encode(text)
    return _checked(source)


def _checked(source: SourceText) -> SourceText:
    if "\0" in source.text:
        raise TransformError("contains a null byte")
    return source


def line_starts(text: str) -> tuple[int, ...]:
    """Offsets at which the lines of *text* begin, by Python's line ends only."""
    return (0, *(match.end() for match in _LINE_END.finditer(text)))
