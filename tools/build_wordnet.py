"""Reduce WordNet 3.0 to the synonyms that a variable can be renamed to.

Kept are synsets of at least two lower-case alphabetic words of 3 to 15 letters, without glosses and
relations, in WordNet's own file format and order. The input is what Debian's packages wordnet-base
and wordnet-sense-index (1:3.0-37) install:

    python tools/build_wordnet.py /usr/share/wordnet pytest_jagged/transforms/nltk_data
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_WORD = re.compile(r"[a-z]{3,15}")
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_LEXNAMES = (
    *("adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact"),
    *("noun.attribute", "noun.body", "noun.cognition", "noun.communication", "noun.event"),
    *("noun.feeling", "noun.food", "noun.group", "noun.location", "noun.motive", "noun.object"),
    *("noun.person", "noun.phenomenon", "noun.plant", "noun.possession", "noun.process"),
    *("noun.quantity", "noun.relation", "noun.shape", "noun.state", "noun.substance"),
    *("noun.time", "verb.body", "verb.change", "verb.cognition", "verb.communication"),
    *("verb.competition", "verb.consumption", "verb.contact", "verb.creation", "verb.emotion"),
    *("verb.motion", "verb.perception", "verb.possession", "verb.social", "verb.stative"),
    *("verb.weather", "adj.ppl"),
)
_LEXNAME_KINDS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2]) / "corpora" / "wordnet"
    target.mkdir(parents=True, exist_ok=True)
    for part, letter in _PARTS.items():
        offsets, words = _write_data(source, target, part, letter)
        _write_index(source, target, part, letter, offsets, words)
        _write_exceptions(source, target, part, {word for kept in words.values() for word in kept})
    names = (
        f"{number:02d}\t{name}\t{_LEXNAME_KINDS[name.split('.')[0]]}\n"
        for number, name in enumerate(_LEXNAMES)
    )
    (target / "lexnames").write_text("".join(names), encoding="ascii")
    (target / "index.sense").write_text("", encoding="ascii")  # the reader wants it to be there
    (target / "LICENSE").write_text(_licence(source), encoding="ascii")


def _licence(source: Path) -> str:
    lines = (source / "data.noun").read_text(encoding="latin-1").splitlines()
    return "".join(line[2:].split(" ", 1)[-1].rstrip() + "\n" for line in lines if line[:1] == " ")


def _lines(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="latin-1").splitlines():
        if not line.startswith(" "):
            yield line


def _write_data(
    source: Path, target: Path, part: str, letter: str
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """New offsets by old ones, and the words kept of each synset."""
    offsets: dict[str, str] = {}
    words: dict[str, list[str]] = {}
    rows: list[str] = []
    position = 0
    for line in _lines(source / f"data.{part}"):
        old, lexical, _, count, *rest = line.split(" ")
        found = [_MARKER.sub("", word) for word in rest[: 2 * int(count, 16) : 2]]
        kept = [word for word in found if _WORD.fullmatch(word)]
        if len(kept) < 2:
            continue
        # Satellites become plain adjectives: the reader wants their head, which is not kept.
        entry = f"{position:08d} {lexical} {letter} {len(kept):02x} " + " ".join(
            f"{word} 0" for word in kept
        )
        row = entry + " 000" + (" 00" if letter == "v" else "") + " | \n"
        offsets[old], words[old] = f"{position:08d}", kept
        rows.append(row)
        position += len(row)
    (target / f"data.{part}").write_text("".join(rows), encoding="ascii")
    return offsets, words


def _write_index(
    source: Path,
    target: Path,
    part: str,
    letter: str,
    offsets: dict[str, str],
    words: dict[str, list[str]],
) -> None:
    rows: list[str] = []
    for line in _lines(source / f"index.{part}"):
        lemma, _, synsets, *rest = line.split()
        old = [o for o in rest[-int(synsets) :] if lemma in words.get(o, ())]
        if old:
            new = " ".join(offsets[o] for o in old)
            rows.append(f"{lemma} {letter} {len(old)} 0 {len(old)} 0 {new}  \n")
    (target / f"index.{part}").write_text("".join(rows), encoding="ascii")


def _write_exceptions(source: Path, target: Path, part: str, known: set[str]) -> None:
    lines = (source / f"{part}.exc").read_text(encoding="ascii").splitlines()
    rows = [line + "\n" for line in lines if known & set(line.split()[1:])]
    (target / f"{part}.exc").write_text("".join(rows), encoding="ascii")


if __name__ == "__main__":
    main()
