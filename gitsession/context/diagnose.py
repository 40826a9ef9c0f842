"""Why a model does not know a fact: four causes, looked into in their order.

The message that said it was cut or summarised; the tool output that carried it is gone; the system
prompt is not the one it stood in; the context is near its budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitsession.context.entry import Context, Line
from gitsession.context.measure import input_text
from gitsession.model.message import Message, Part
from gitsession.model.session import Session

CAUSES = ("message", "tool-output", "system-prompt", "budget")
NEAR = 0.95
"""From this share of the budget on (margin included), a context is at its edge."""


@dataclass(frozen=True, slots=True)
class Check:
    """One of the four causes: whether it holds here, in one sentence, and what to do."""

    cause: str
    holds: bool
    said: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`present` is where the context says the fact: the session's message, 0 for a summary or the
    system prompt; None if nowhere. `message` is where the session says it (0: nowhere)."""

    fact: str
    present: int | None
    message: int
    checks: tuple[Check, ...]

    @property
    def cause(self) -> str:
        """The first cause that holds; "" for a fact that is there, "unsaid" for one nobody said."""
        if self.present is not None:
            return ""
        return next((check.cause for check in self.checks if check.holds), "unsaid")


def diagnose(
    session: Session, context: Context, fact: str, *, keys: Iterable[int] = (), prompt: str = ""
) -> Diagnosis:
    """Look for a fact (upper and lower case alike, white space alike) in a context, and for the
    reason where it is missing. `prompt` is the system prompt the session was held with."""
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
    """Those of the facts that the context does not say; blank lines and `#` lines are none."""
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
    """What a message says itself, arguments of its calls included."""
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
        return Check("message", False, "no message says it in so many words")
    number = said[-1]
    line = _line(context, number)
    fate = line.fate if line else "dropped"
    marked = "it is marked as key" if number in keys else "it is not marked as key"
    if fate == "whole":
        return Check("message", False, f"message {number} says it and stands there whole")
    return Check(
        "message",
        True,
        f"message {number} says it and was {fate}; {marked}",
        f"gitsession tag NAME REV:{number} --key keeps it whole in every context",
    )


def _of_output(session: Session, context: Context, output: list[int]) -> Check:
    """Only output that no message repeats can be the reason."""
    if not output:
        return Check("tool-output", False, "no tool output alone carries it")
    number = output[-1]
    line = _line(context, number)
    fate = line.fate if line else "dropped"
    calls = [p.call_id for p in session.messages[number - 1].parts if p.kind == "tool_call"]
    return Check(
        "tool-output",
        fate != "whole",
        f"a tool output of message {number} carries it; that message is {fate} in the context",
        f"gitsession show --tool-call {calls[0] if calls else 'ID'} prints it;"
        f" gitsession tag NAME REV:{number} --key keeps it",
    )


def _of_prompt(session: Session, context: Context, wanted: str, prompt: str) -> Check:
    """The fact stood in a prompt or an instruction file that this context does not begin with."""
    files = [
        file.path
        for file in session.instructions
        if file.content and wanted in _plain(file.content.decode("utf-8", "replace"))
    ]
    first = context.messages[0].text if context.messages else ""
    now = _plain(f"{context.system}\n{first}")
    if prompt and wanted in _plain(prompt) and wanted not in now:
        where = "the system prompt of the session says it, the one of this context does not"
    elif files:
        where = f"the instruction file {files[0]} says it, this context does not hold that file"
    else:
        return Check("system-prompt", False, "the system prompt did not carry it")
    advice = "give the prompt with --system-prompt FILE"
    return Check("system-prompt", True, where, advice)


def _of_budget(context: Context) -> Check:
    used = context.tokens + context.margin
    near = used >= NEAR * context.budget
    gone = sum(line.fate in ("summarised", "dropped") for line in context.ledger)
    said = f"{used} of {context.budget} tokens are used, {gone} messages are left out"
    holds = near and gone > 0
    return Check("budget", holds, said, "a larger --budget leaves out less" if holds else "")
