"""The parts of a `for` statement, and the `while` loop they become."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_jagged.transforms.condition import stripped
from pytest_jagged.transforms.module import Module
from pytest_jagged.transforms.nodes import children
from pytest_jagged.transforms.plain_iterables import is_plain_iterable
from pytest_jagged.transforms.scope import SCOPES
from pytest_jagged.transforms.splice import Indented, Piece, Span
from pytest_jagged.transforms.suite import Suite, find_token, suite_of

__all__ = ["ForLoop", "for_loop", "loop_pieces", "own_breaks"]

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True, slots=True)
class ForLoop:
    """Offsets of `for T in X:`; `closes`: dropping the iterator can be seen."""

    node: ast.For
    body: Suite
    indent: str
    target: tuple[int, int]
    iterable: tuple[int, int]
    colon: int
    body_end: int
    else_colon: int | None
    end: int
    closes: bool


def for_loop(module: Module, node: ast.For) -> ForLoop | None:
    """None when the body is not a block of lines."""
    body = suite_of(module, node, node.body)
    indent = module.indent_at(module.start(node))
    if body is None or indent is None:
        return None
    start = module.start(node) + len("for")
    word = find_token(module, "in", module.end(node.target), module.start(node.iter))
    colon = find_token(module, ":", module.end(node.iter), module.start(node.body[0]))
    body_end, else_colon, end = body.end, None, body.end
    if node.orelse:
        first = module.start(node.orelse[0])
        keyword = find_token(module, "else", module.end(node.body[-1]), first)
        body_end = module.source.line_start(keyword)
        else_colon = find_token(module, ":", keyword, first)
        end = module.source.line_end(module.end(node.orelse[-1]))
    return ForLoop(
        node=node,
        body=body,
        indent=indent,
        target=stripped(module, start, word),
        iterable=stripped(module, word + len("in"), colon),
        colon=colon,
        body_end=body_end,
        else_colon=else_colon,
        end=end,
        closes=not is_plain_iterable(module, node.iter),
    )


def own_breaks(body: Sequence[ast.stmt]) -> Iterator[ast.Break]:
    """The `break`s that leave this loop: those in the `else` of a nested loop are among them."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Break):
            yield node
        elif isinstance(node, _LOOPS):
            pending.extend(node.orelse)
        elif not isinstance(node, (*SCOPES, ast.expr)):
            pending.extend(children(node))


def loop_pieces(
    module: Module, loop: ForLoop, iterator: str, item: str, flag: str, drop_flag: bool
) -> list[Piece]:
    """What replaces the loop: whole lines at its indentation, from behind its first white space."""
    newline, outer, unit = module.source.newline, loop.indent, loop.body.unit
    closed = module.text[loop.end - 1] in "\r\n"
    at = outer + unit if loop.closes else outer
    inner = loop.body.indent + unit if loop.closes else loop.body.indent
    iterable: list[Piece] = [Span(*loop.iterable)]
    if isinstance(loop.node.iter, ast.Tuple):  # or iter() would take two arguments
        iterable = ["(", *iterable, ")"]
    pieces: list[Piece] = [f"{iterator} = iter(", *iterable, f"){newline}"]
    if loop.else_colon is not None:
        pieces.append(f"{outer}{flag} = True{newline}")
    if loop.closes:
        pieces.append(f"{outer}try:{newline}")
    pieces += [f"{at}while True", Span(loop.colon, loop.body.start)]
    pieces += _fetching(module, loop, iterator, item, inner)
    if loop.closes:
        pieces.append(Indented(loop.body.start, loop.body_end, loop.body.indent, unit))
    else:
        pieces.append(Span(loop.body.start, loop.body_end))
    if module.text[loop.body_end - 1] not in "\r\n":
        pieces.append(newline)
    pieces.append(f"{outer}finally:{newline}{at}" if loop.closes else outer)
    pieces.append(f"del {iterator}")
    pieces += _else_part(module, loop, flag, drop_flag)
    return [*pieces, newline] if closed and not pieces_end_line(pieces, module) else pieces


def pieces_end_line(pieces: Sequence[Piece], module: Module) -> bool:
    """Whether the last piece ends its line."""
    last = pieces[-1]
    text = last if isinstance(last, str) else module.text[last.start : last.end]
    return text[-1:] in ("\r", "\n")


def _fetching(
    module: Module, loop: ForLoop, iterator: str, item: str, indent: str
) -> Iterator[Piece]:
    """The next value, or the end of the loop."""
    newline, deeper = module.source.newline, indent + loop.body.unit
    simple = isinstance(loop.node.target, ast.Name)
    name = module.text_of(loop.node.target) if simple else item
    yield f"{indent}try:{newline}{deeper}{name} = next({iterator}){newline}"
    yield f"{indent}except StopIteration:{newline}{deeper}break{newline}"
    if not simple:
        yield indent
        yield Span(*loop.target)
        yield f" = {item}{newline}{indent}del {item}{newline}"


def _else_part(module: Module, loop: ForLoop, flag: str, drop_flag: bool) -> Iterator[Piece]:
    if loop.else_colon is None:
        return
    newline = module.source.newline
    yield f"{newline}{loop.indent}if {flag}:"
    yield Span(loop.else_colon + 1, loop.end)
    if drop_flag:
        if module.text[loop.end - 1] not in "\r\n":
            yield newline
        yield f"{loop.indent}del {flag}"
