"""A rewriting that changes the text alone: what notices it looks at source, not at behaviour."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.module_cache import load_module

__all__ = ["reformat"]

_OPENING = frozenset({"FSTRING_START", "TSTRING_START"})
_CLOSING = frozenset({"FSTRING_END", "TSTRING_END"})


def reformat(source: bytes, path: str | None = None) -> bytes:
    """A comment line before every statement that begins a line, and a second blank wherever one
    stands between two tokens of a line.

    Line numbers, columns and what `inspect.getsource` gives are others; the compiled code is not.

    Raises:
        TransformError: the bytes are not Python, or the tokenizer cannot read them.
    """
    module = load_module(source, path)
    comment = f"#{module.source.newline}"
    insertions = dict.fromkeys(_blanks(module), " ")
    insertions |= dict.fromkeys(_line_starts(module), comment)
    pieces, position = [], 0
    for offset in sorted(insertions):
        pieces += [module.text[position:offset], insertions[offset]]
        position = offset
    return module.source.encode("".join([*pieces, module.text[position:]]))


def _line_starts(module: Module) -> Iterator[int]:
    blocks = [module.tree.body, *(block for _, block in module.blocks)]
    for statement in (statement for block in blocks for statement in block):
        start = module.start(statement)
        if module.indent_at(start) is not None:
            yield module.source.line_start(start)


def _blanks(module: Module) -> Iterator[int]:
    """Starts of tokens with a blank before them; inside f-strings a blank may be content."""
    depth, before = 0, (0, 0)
    try:
        for token in tokenize.generate_tokens(io.StringIO(module.text, newline="").readline):
            name = tokenize.tok_name[token.type]
            row, column = token.start
            if depth == 0 and row == before[0] and column > before[1]:
                offset = module.source.starts[row - 1] + column
                if module.text[offset - 1] == " ":
                    yield offset
            depth += (name in _OPENING) - (name in _CLOSING)
            before = token.end
    except (tokenize.TokenError, SyntaxError, IndexError) as error:
        raise TransformError(f"tokens: {error}") from None
