"""pi, Qwen Code, Gemini CLI, Kimi Code: nothing that their files hold is a crash."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.agents import registry
from gitsession.agents.base import Target
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from tests.agents.contract import joined, whole
from tests.gemini_builder import Gemini
from tests.kimi_builder import Kimi
from tests.pi_builder import PI_ID, Pi
from tests.qwen_builder import QWEN_ID, Qwen

_JUNK = st.sampled_from(
    [None, True, 0, -1, 1e300, "", "text", "\ud800", [], [[]], [None], {}, {"a": []}, [{"text": 1}]]
)
_FILES = {
    "pi": (Pi().turn("one", command="ls").turn("two").data, f"{PI_ID}.jsonl"),
    "qwen": (Qwen().turn("one", command="ls").turn("two").data, f"{QWEN_ID}.jsonl"),
    "gemini": (Gemini().turn("one", command="ls").resume().turn("two").data, "session-a.jsonl"),
    "kimi": (Kimi().turn("one", command="ls").compact("s").turn("two").data, "wire.jsonl"),
}


def spots(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to every member and element of a JSON value."""
    found = [way] if way else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, (dict, list)):
        for key, inner in pairs:
            found += spots(inner, (*way, key)) if isinstance(inner, (dict, list)) else [(*way, key)]
    return found


def spoiled(data: bytes, draw: st.DataObject) -> bytes:
    """Some records with something else in some places; the first line stays."""
    lines = data.splitlines(keepends=True)
    for _ in range(draw.draw(st.integers(1, 4))):
        number = draw.draw(st.integers(1, len(lines) - 1))
        value = json.loads(lines[number])
        *way, last = draw.draw(st.sampled_from(spots(value)))
        inner = value
        for key in way:
            inner = inner[key]
        inner[last] = draw.draw(_JUNK)
        lines[number] = json.dumps(value).encode() + b"\n"
    return b"".join(lines)


@pytest.mark.parametrize("name", _FILES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(draw=st.data())
def test_no_record_is_a_crash(name: str, draw: st.DataObject) -> None:
    agent = registry.get(name)
    data, file = _FILES[name]
    data = spoiled(data, draw)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        path.write_bytes(data)
        source = agent.recognise(path)
        if source is None:
            return
        try:
            sessions = list(agent.read(source))
        except SourceUnreadable:
            return
        assert joined(sessions) == data
        stored = whole(sessions)
        agent.messages(stored)
        environment = Environment({}, Path(folder), folder)
        for foreign in (False, True):
            with contextlib.suppress(SourceUnreadable):
                written = agent.write(stored, Target(folder, "title", foreign), environment)
                for line in written.files[written.main].splitlines():
                    assert isinstance(json.loads(line), dict)


def test_the_files_that_are_spoiled_are_good_ones() -> None:
    for name, (data, file) in _FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file
            path.write_bytes(data)
            source = registry.get(name).recognise(path)
            assert source is not None
            texts = [
                m.text for m in registry.get(name).messages(whole(registry.get(name).read(source)))
            ]
            assert texts[-1] == "answer to two"
