"""A context as text: as Markdown, and its ledger; a diagnosis with advice."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.context.diagnose import Diagnosis
    from gitsession.context.entry import Context, Line
    from gitsession.model.history import Version
    from gitsession.model.message import Message, Part

_FATES = ("whole", "shortened", "pruned", "summarised", "dropped")


def headline(context: Context) -> str:
    """Return one line: the tokens used of the budget, with the counter and the strategy."""
    return (
        f"{words.plural(len(context.messages), 'message')}, "
        f"{context.tokens:,} of {context.budget:,} tokens"
        f" ({context.margin:,} kept free; {context.estimator}; strategy {context.strategy})"
    )


def counts(context: Context) -> str:
    """Return how many messages of the session had each fate."""
    fates = [line.fate for line in context.ledger]
    said = [f"{fates.count(fate)} {fate}" for fate in _FATES if fate in fates]
    return f"{words.plural(len(fates), 'message')} in the session: " + (", ".join(said) or "none")


def ledger(context: Context, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield the output of `--explain`: a head, one line per message of the session, and the
    repairs."""
    yield headline(context)
    yield counts(context)
    yield ""
    for line in context.ledger:
        yield _line(line, palette)
    if context.repairs:
        yield ""
        for repair in context.repairs:
            yield palette("dim", safe.line(f"repaired: {repair}"))


def _line(line: Line, palette: Palette) -> str:
    left_out = line.fate in ("summarised", "dropped")
    tokens = f"{line.before:>8,} -> {line.after:>8,}"
    fate = palette("dim" if left_out else "id", f"{line.fate:<10}")
    return f"{line.message:>6}  {fate} {tokens}  {safe.short(line.why, 100)}".rstrip()


def markdown(context: Context) -> Iterator[str]:
    """Yield the messages as a model reads them, with their numbers in the session."""
    yield f"<!-- {headline(context)} -->"
    if context.system:
        yield ""
        yield "## System"
        yield ""
        yield safe.markup(context.system)
    for number, message in zip(context.numbers, context.messages, strict=True):
        yield ""
        yield f"## {_title(number, message)}"
        for part in message.parts:
            yield ""
            yield from _part(part)


def _title(number: int, message: Message) -> str:
    role = safe.short(message.role, 20).capitalize()
    return f"{number}. {role}" if number else f"{role} (made by gitsession)"


def _part(part: Part) -> Iterator[str]:
    if part.kind == "tool_call":
        yield f"**Call {safe.short(part.name, 60)}** `{safe.short(part.call_id, 60)}`"
        yield ""
        yield from _fenced(_input(part))
    elif part.kind == "tool_result":
        yield f"**Result of** `{safe.short(part.call_id, 60)}`"
        yield ""
        yield from _fenced(part.text)
    else:
        yield safe.markup(part.text or f"[{part.kind}: {part.name}]")


def _input(part: Part) -> str:
    from gitsession.context.measure import input_text

    return input_text(part)


def _fenced(text: str) -> Iterator[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    yield fence
    yield safe.markup(text)
    yield fence


def diagnosis(
    found: Diagnosis, context: Context, version: Version | None, palette: Palette = PLAIN
) -> Iterator[str]:
    """Yield whether the fact is present; if not, the four causes in order, with advice."""
    if found.present is not None:
        where = f"message {found.present}" if found.present else "a summary or the system prompt"
        yield f"present in {where}"
        return
    if found.cause == "unsaid":
        yield "no message, tool result or instruction of this session contains it"
        return
    where = f", first in version {version.id[:8]}" if version is not None else ""
    yield f"missing; cause: {found.cause}{where}"
    for number, check in enumerate(found.checks, 1):
        mark = "*" if check.holds else " "
        yield safe.line(f"{mark} {number}. {check.cause}: {check.said}")
        if check.holds and check.advice:
            yield "      " + palette("hint", safe.line(check.advice))
    yield headline(context)


def as_request(context: Context, form: str, model: str) -> str:
    """Return the messages in a provider's shape, without a new message."""
    import json

    from gitsession.context.requests import request
    from gitsession.context.wire import Asking

    return json.dumps(request(context, Asking(model or "unknown"), form), indent=2) + "\n"
