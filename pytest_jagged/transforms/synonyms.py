"""Synonyms of English words, from a reduced WordNet 3.0 that is part of the package."""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["synonym"]

_DATA = Path(__file__).with_name("nltk_data")
_LEAST_LETTERS = 3


@lru_cache(maxsize=8192)
def synonym(word: str) -> str | None:
    """The first alphabetic lemma of at least three letters that differs from *word*, lower-cased.

    Synsets come in WordNet's order, nouns before verbs, adjectives and adverbs.
    """
    for synset in _reader().synsets(word.lower()):
        for lemma in synset.lemma_names():
            found = str(lemma).lower()
            if found.isalpha() and len(found) >= _LEAST_LETTERS and found != word.lower():
                return found
    return None


@lru_cache(maxsize=1)
def _reader() -> Any:
    """NLTK opens only what lies below `nltk.data.path`; ours goes last and is named explicitly."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    if str(_DATA) not in nltk.data.path:
        nltk.data.path.append(str(_DATA))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses its multilingual data, which nobody asks for
        return WordNetCorpusReader(nltk.data.find("corpora/wordnet", paths=[str(_DATA)]), None)
