"""Every input that is kept is read once, and some mutants: what a fuzzer found stays found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutate import mutated
from tests.fuzz.reader import LARGEST, watched
from tests.fuzz.readers import READERS

CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parent / "found"
"""Inputs that once were a find, by reader."""


def inputs(name: str) -> list[bytes]:
    places = (CORPUS / name, FOUND / name)
    return [path.read_bytes() for place in places for path in sorted(place.glob("*"))]


@pytest.mark.parametrize("name", READERS)
def test_every_reader_takes_its_corpus(name: str, tmp_path: Path) -> None:
    kept = inputs(name)
    assert kept, "there is a corpus: `python -m tests.fuzz.grow_corpus`"
    for number, data in enumerate(kept):
        folder = tmp_path / str(number)
        folder.mkdir()
        watched(READERS[name], data, folder)


@pytest.mark.parametrize("name", READERS)
@settings(
    max_examples=8, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(seed=st.integers(0, 1 << 32))
def test_every_reader_takes_mutants(
    name: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance, reader = random.Random(seed), READERS[name]
    data = mutated(chance.choice(inputs(name)), reader.shape, chance, LARGEST, reader.words)
    watched(reader, data, tmp_path_factory.mktemp("input"))


def test_samples_are_taken_too(samples: Path, tmp_path: Path) -> None:
    """Real files, changed in a place each; read where they lie, none is copied here."""
    chance = random.Random(1)
    places = {"claude-code": "claude", "codex": "codex", "pi": "pi", "gemini": "gemini"}
    number = 0
    for agent, word in places.items():
        reader = READERS[f"agent-{agent}"]
        found = sorted((samples / word).rglob("*.jsonl"))
        paths = [path for path in found if path.stat().st_size < LARGEST]
        for path in paths[:6]:
            folder = tmp_path / str(number)
            folder.mkdir()
            number += 1
            watched(reader, mutated(path.read_bytes(), "lines", chance, LARGEST), folder)
    assert number
