"""Conversations for the tests of contexts: short words for messages, sessions, random ones."""

from __future__ import annotations

import random

from gitsession.context.entry import Entries, entries_of
from gitsession.context.measure import Measure
from gitsession.context.tokens import ESTIMATORS, Estimator
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session

CHARS = Estimator("chars/4", ESTIMATORS["chars/4"])
MEASURE = Measure(CHARS)


def user(text: str) -> Message:
    return Message("user", (Part("text", text),))


def says(text: str) -> Message:
    return Message("assistant", (Part("text", text),))


def runs(*calls: tuple[str, str], text: str = "", tool: str = "Bash") -> Message:
    """An assistant's message with calls (id, output), each with its result."""
    parts = [Part("text", text)] if text else []
    for call_id, output in calls:
        parts.append(Part("tool_call", name=tool, call_id=call_id, input={"command": call_id}))
        parts.append(Part("tool_result", output, call_id=call_id))
    return Message("assistant", tuple(parts))


def session(*messages: Message) -> Session:
    return Session(Info("generic", "native-1"), messages=messages)


def entries(*messages: Message) -> Entries:
    return entries_of(messages)


def tokens(count: int, letter: str = "x") -> str:
    """A text of exactly so many tokens by the estimate of a quarter of its characters."""
    return letter * (4 * count)


WORDS = ("cache", "JWT", "决定", "必须", "todo", "src/a.py", "build", "must", "use", "ok", "好的")


def random_session(seed: int) -> Session:
    """Prompts, answers, tool calls in all states of disorder: parallel, without a result, with
    two, with one elsewhere, without an id, standing twice; notes, reasoning, images, summaries."""
    draw = random.Random(seed)
    messages = [_random_message(draw, number) for number in range(draw.randint(1, 40))]
    messages += draw.sample(messages, min(len(messages), draw.randint(0, 2)))
    if draw.random() < 0.2:
        draw.shuffle(messages)
    if draw.random() < 0.3:
        messages.insert(0, Message("system", (Part("text", "be brief"),)))
    return session(*messages)


def _random_message(draw: random.Random, number: int) -> Message:
    role = draw.choice(("user", "assistant", "assistant", "assistant", "note"))
    parts = []
    if draw.random() < 0.8:
        parts.append(Part("text", _text(draw)))
    if role == "assistant":
        for call in range(draw.choice((0, 0, 1, 1, 2, 5))):
            parts += _calls(draw, f"call_{number}_{call}")
    if draw.random() < 0.15:
        parts.append(Part("reasoning", _text(draw)))
    if draw.random() < 0.1:
        parts.append(Part("image", name="image/png", native={"type": "image"}))
    if draw.random() < 0.05:
        parts.append(Part("tool_result", "lost", call_id=f"call_{draw.randint(0, 40)}_0"))
    if draw.random() < 0.03:
        return Message("system", (Part("compaction", _text(draw)),))
    return Message(role, tuple(parts))


def _calls(draw: random.Random, call_id: str) -> list[Part]:
    if draw.random() < 0.1:
        call_id = draw.choice(("", "call_1_0", "call_3_1"))
    name = draw.choice(("Bash", "Read", "skill"))
    call = Part("tool_call", name=name, call_id=call_id, input={"command": _text(draw)[:200]})
    result = Part("tool_result", _text(draw), call_id=call_id, error=draw.random() < 0.1)
    return [call, *[result] * draw.choice((1, 1, 1, 1, 1, 1, 0, 2))]


def _text(draw: random.Random) -> str:
    words = " ".join(draw.choices(WORDS, k=draw.randint(1, 12)))
    return words * draw.choice((1, 1, 1, 3, 40, 400))


def marked(one: Session, *markers: dict[str, object]) -> Session:
    return one._replace(state=one.state._replace(markers=markers))
