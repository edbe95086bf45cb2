"""One SPT at every site of a snippet, and what a call of the snippet's function then gives."""

from __future__ import annotations

import textwrap

from pytest_jagged.transforms import transform_source

__all__ = ["outcome", "reasons", "rewritten", "same_outcome"]


def rewritten(code: str, spt: str, *, seed: int = 1, target: str | None = None) -> str:
    """*code*, dedented, with all candidates rewritten; there must be one."""
    result = transform_source(textwrap.dedent(code), spt, seed=seed, target=target)
    assert result.candidates, f"no site in {code!r}: {[s.reason for s in result.skipped]}"
    assert len(result.sites) == result.candidates
    assert isinstance(result.source, str)
    return result.source


def reasons(code: str, spt: str, *, target: str | None = None) -> list[str]:
    """Why the sites of *code* are skipped; none may be a candidate."""
    result = transform_source(textwrap.dedent(code), spt, seed=1, target=target)
    assert result.candidates == 0, result.source
    return [skipped.reason for skipped in result.skipped]


def outcome(code: str, call: str = "f()") -> tuple[str, str]:
    """The value of *call* after *code* has run, or its exception, with what both printed."""
    scope: dict[str, object] = {"__name__": "snippet", "log": []}
    try:
        exec(compile(code, "<snippet>", "exec"), scope)
        value = repr(eval(call, scope))
    except Exception as error:
        value = f"{type(error).__name__}: {error}; context {error.__context__!r}"
    return value, repr(scope["log"])


def same_outcome(code: str, spt: str, call: str = "f()", seeds: int = 3) -> None:
    """Rewriting *code* everywhere must not change what *call* gives."""
    before = outcome(textwrap.dedent(code), call)
    for seed in range(seeds):
        after = rewritten(code, spt, seed=seed)
        assert after != textwrap.dedent(code)
        assert outcome(after, call) == before, after
