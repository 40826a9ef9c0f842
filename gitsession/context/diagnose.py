"""Why a model does not know a fact: four causes, checked in this order.

The message that said it was cut or summarised; the tool output that contained it is gone; it was in
a system prompt that the context does not have; the context is near its budget.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitsession.context.entry import Context, Line
from gitsession.context.measure import input_text
from gitsession.model.message import Message, Part
from gitsession.model.session import Session

CAUSES = ("message", "tool-output", "system-prompt", "budget")
NEAR = 0.95
"""The share of the budget (margin included) from which a context counts as near it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One of the four causes: whether it applies here, in one sentence, and what to do."""

    cause: str
    holds: bool
    said: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Where a fact is said. `present` is its place in the context: the number of a message of the
    session, 0 for a summary or the system prompt, None if nowhere. `message` is its number in the
    session (0: nowhere)."""

    fact: str
    present: int | None
    message: int
    checks: tuple[Check, ...]

    @property
    def cause(self) -> str:
        """The first cause that applies; "" if the fact is present, "unsaid" if nobody said it."""
        if self.present is not None:
            return ""
        return next((check.cause for check in self.checks if check.holds), "unsaid")


def diagnose(
    session: Session, context: Context, fact: str, *, keys: Iterable[int] = (), prompt: str = ""
) -> Diagnosis:
    """Look for a fact in a context, ignoring case and runs of white space, and for the reason if it
    is missing. `prompt` is the system prompt that the session had."""
    wanted = _plain(fact)
    said = _numbers(session.messages, wanted, _spoken)
    output = _numbers(session.messages, wanted, _output)
    return Diagnosis(
        fact=fact,
        present=_present(context, wanted),
        message=(said or output or [0])[-1],
        checks=(
            _of_message(context, said, frozenset(keys)),
            _of_output(session, context, [n for n in output if n not in said]),
            _of_prompt(session, context, wanted, prompt),
            _of_budget(context),
        ),
    )


def missing_facts(context: Context, facts: Iterable[str]) -> tuple[str, ...]:
    """Return those facts that the context does not contain; ignores blank lines and `#` lines."""
    wanted = [line.strip() for line in facts]
    texts = _texts(context)
    return tuple(
        fact
        for fact in wanted
        if fact and not fact.startswith("#") and not any(_plain(fact) in text for text in texts)
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _texts(context: Context) -> list[str]:
    spoken = [_plain(_all(message)) for message in context.messages]
    return [*spoken, _plain(context.system)]


def _present(context: Context, wanted: str) -> int | None:
    found = [
        number
        for number, message in zip(context.numbers, context.messages, strict=True)
        if wanted in _plain(_all(message))
    ]
    if found:
        return max(found)
    return 0 if context.system and wanted in _plain(context.system) else None


def _all(message: Message) -> str:
    return f"{_spoken(message)}\n{_output(message)}"


def _spoken(message: Message) -> str:
    """Return what a message says itself, including the arguments of its calls."""
    return "\n".join(_said(part) for part in message.parts if part.kind != "tool_result")


def _said(part: Part) -> str:
    return f"{part.name} {input_text(part)}" if part.kind == "tool_call" else part.text


def _output(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind == "tool_result")


def _numbers(messages: Sequence[Message], wanted: str, text: object) -> list[int]:
    assert callable(text)
    return [n for n, message in enumerate(messages, 1) if wanted in _plain(text(message))]


def _line(context: Context, number: int) -> Line | None:
    return next((line for line in context.ledger if line.message == number), None)


def _of_message(context: Context, said: list[int], keys: frozenset[int]) -> Check:
    if not said:
        return Check("message", False, "no message contains it literally")
    number = said[-1]
    line = _line(context, number)
    fate = line.fate if line else "dropped"
    marked = "it is marked as key" if number in keys else "it is not marked as key"
    if fate == "whole":
        return Check(
            "message", False, f"message {number} contains it and is in the context as a whole"
        )
    return Check(
        "message",
        True,
        f"message {number} contains it and was {fate}; {marked}",
        f"`gitsession tag NAME REV:{number} --key` keeps it whole in every context",
    )


def _of_output(session: Session, context: Context, output: list[int]) -> Check:
    """Check for output that no message repeats: only that can be the cause."""
    if not output:
        return Check("tool-output", False, "no tool result is the only place that contains it")
    number = output[-1]
    line = _line(context, number)
    fate = line.fate if line else "dropped"
    calls = [p.call_id for p in session.messages[number - 1].parts if p.kind == "tool_call"]
    call = shlex.quote(calls[0]) if calls else "ID"
    return Check(
        "tool-output",
        fate != "whole",
        f"a tool result of message {number} contains it; that message is {fate} in the context",
        f"`gitsession show --tool-call {call}` prints it;"
        f" `gitsession tag NAME REV:{number} --key` keeps it",
    )


def _of_prompt(session: Session, context: Context, wanted: str, prompt: str) -> Check:
    """Check for a prompt or an instruction file that contains the fact and is not part of this
    context."""
    files = [
        file.path
        for file in session.instructions
        if file.content and wanted in _plain(file.content.decode("utf-8", "replace"))
    ]
    first = context.messages[0].text if context.messages else ""
    now = _plain(f"{context.system}\n{first}")
    if prompt and wanted in _plain(prompt) and wanted not in now:
        where = "the system prompt of the session contains it, the one of this context does not"
    elif files:
        where = f"the instruction file {files[0]} contains it and is not part of this context"
    else:
        return Check("system-prompt", False, "the system prompt did not contain it")
    advice = "pass the prompt with --system-prompt FILE"
    return Check("system-prompt", True, where, advice)


def _of_budget(context: Context) -> Check:
    used = context.tokens + context.margin
    near = used >= NEAR * context.budget
    gone = sum(line.fate in ("summarised", "dropped") for line in context.ledger)
    said = f"{used} of {context.budget} tokens are used, {gone} messages are left out"
    holds = near and gone > 0
    return Check("budget", holds, said, "a larger --budget leaves out less" if holds else "")
