"""Write docs/transformations.md from the transformations' own class data.

    python tools/build_transformation_docs.py [OUT]

The examples are those that the tests run, so that the page cannot say what the code does not do.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_jagged.transforms import catalogue, transform_source
from pytest_jagged.transforms.splicing import Example, Splicing

PAGE = Path(__file__).parents[1] / "docs" / "transformations.md"
SEED = 0
_HEAD = """# Transformations

The 14 semantics-preserving transformations of *A Jagged Frontier*. Where the paper's rule can
change behaviour, the condition that it lacks is checked, and a site where it cannot be established
from the code is skipped. Inserted names, guards and split points vary with the seed; the results
below are those of seed 0. See a file of your own with

```
jagged transform FILE --spt NAME --diff
```

*Keyword-bound* transformations take their target (a method's name, a literal) from the issue; the
others need none. This page is made from the transformations' own data by
`tools/build_transformation_docs.py`.
"""


def page() -> str:
    spts = [spt for spt in catalogue().values() if isinstance(spt, Splicing)]
    links = "".join(f"- [{spt.name}](#{spt.name})\n" for spt in spts)
    return "\n".join([_HEAD, links, *(line for spt in spts for line in _section(spt))])


def _section(spt: Splicing) -> Iterator[str]:
    yield f"## {spt.name}\n"
    yield f"{inspect.getdoc(type(spt))}\n"
    if spt.keyword_bound:
        yield "Keyword-bound.\n"
    yield "Applies:\n"
    for example in spt.APPLIES:
        result = transform_source(example.code, spt.name, seed=SEED, target=example.target)
        assert isinstance(result.source, str)
        yield from _example(example)
        yield f"becomes\n\n{_code(result.source)}"
    yield "Skips:\n"
    for example in spt.SKIPS:
        result = transform_source(example.code, spt.name, seed=SEED, target=example.target)
        yield from _example(example, sorted({skipped.reason for skipped in result.skipped}))


def _example(example: Example, reasons: Sequence[str] = ()) -> Iterator[str]:
    target = "" if example.target is None else f", target {example.target!r}"
    because = f" — {'; '.join(reasons)}" if reasons else ""
    yield f"*{_plain(example.says)}*{target}{because}\n\n{_code(example.code)}"


def _code(text: str) -> str:
    """White space and controls that a page would hide are shown as escapes."""
    lines = text.replace("\r\n", "\\r\\n\n").replace("\r", "\\r\n").split("\n")
    body = "\n".join("".join(map(_visible, line)) for line in lines)
    body = body.rstrip("\n").replace("\t", "→   ")
    return f"```python\n{body}\n```\n"


def _visible(char: str) -> str:
    return char if char.isprintable() or char == "\t" else repr(char)[1:-1]


def _plain(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_")


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
