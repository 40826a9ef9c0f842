"""The 2048 English words of BIP 39, read when a text mentions a wallet or a recovery phrase."""

from __future__ import annotations

import os

_words: frozenset[bytes] = frozenset()


def is_seed_word(word: bytes) -> bool:
    global _words
    if not _words:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seedwords.txt")
        with open(path, "rb") as stream:
            _words = frozenset(stream.read().split())
    return word in _words
