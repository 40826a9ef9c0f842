"""Made-up secrets, made at run time and from halves: none ever stands in a file of ours."""

from __future__ import annotations

import importlib.util
import os
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

KIT = Path(os.environ.get("GITSESSION_REDACTION_KIT", ROOT.parent / "shared" / "redaction"))
_LETTERS = string.ascii_letters + string.digits
_BARE = 16
"""So many characters a value must have to be sought as bytes."""


class Plants:
    """`plants.name()` is one more value, of the next kind that is known by its own form; what was
    given out is in `values`, by kind and number. `plants.text()` is one of every kind there is,
    each behind its variable, as `env` prints them."""

    def __init__(self, seed: int) -> None:
        self.values: dict[str, str] = {}
        self._chance = random.Random(seed)
        self._kit = _kit(seed)
        self._turn = 0

    def name(self) -> str:
        """A value that can stand in a file name, too."""
        kinds = list(_own(self._chance).items())
        kind, value = kinds[self._turn % len(kinds)]
        self._turn += 1
        return self._note(kind, value)

    def text(self) -> str:
        made = [(f"KEY_{n}", kind, value) for n, (kind, value) in
                enumerate(_own(self._chance).items())]  # fmt: skip
        made += next(self._kit)
        return "".join(f"{variable}={self._note(kind, value)}\n" for variable, kind, value in made)

    def _note(self, kind: str, value: str) -> str:
        self.values[f"{kind} {len(self.values)}"] = value
        return value

    def found_in(self, data: bytes) -> list[str]:
        return [kind for kind, value in self.values.items() if value.encode() in data]


def _own(chance: random.Random) -> dict[str, str]:
    def some(length: int, letters: str = _LETTERS) -> str:
        return "".join(chance.choice(letters) for _ in range(length))

    return {
        "github": "gh" + "p_" + some(36),
        "anthropic": "sk-" + "ant-api03-" + some(93) + "AA",
        "aws": "AK" + "IA" + some(16, string.ascii_uppercase + "234567"),
        "slack": "xo" + "xb-" + some(12, "123456789") + "-" + some(13, "123456") + "-" + some(24),
        "gitlab": "glp" + "at-" + some(20),
        "npm": "np" + "m_" + some(36),
        "stripe": "sk" + "_live_" + some(24),
        "google": "AI" + "za" + "Sy" + some(33),
        "github fine-grained": "github" + "_pat_" + some(22) + "_" + some(59),
        "hugging face": "h" + "f_" + some(34, string.ascii_letters),
    }


def _kit(seed: int) -> Iterator[list[tuple[str, str, str]]]:
    """Rounds of (variable, kind, value), a value of each kind that has a form of its own, from the
    generator beside the project; empty rounds where it is absent."""
    script = KIT / "gen.py"
    made: Any = None
    if script.is_file():
        found = importlib.util.spec_from_file_location("redaction_kit", script)
        assert found is not None and found.loader is not None
        made = importlib.util.module_from_spec(found)
        found.loader.exec_module(made)
    number = 0
    while True:
        rows = []
        for kind, tier, variable, _, make in made.T if made else ():
            number += 1
            value = make(made.R(seed * 100_000 + number))
            if (
                tier == "S"
                and isinstance(value, str)
                and value.isprintable()
                and len(value) > _BARE
            ):
                rows.append((variable, kind, value))
        yield rows
