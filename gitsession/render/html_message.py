"""Messages and tool calls as pieces of the exported page. Everything is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from gitsession.model.call import Call, message_calls
from gitsession.model.message import Message, Part
from gitsession.render import calls as call_words
from gitsession.render import prose, safe, unified, words
from gitsession.render.prompts import split

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def one_line(text: str, width: int) -> str:
    """Return one safe, escaped line of at most `width` cells."""
    return escape(safe.short(text, width), quote=True)


def article(run: Sequence[tuple[int, Message]], *, dated: bool = False) -> Iterator[str]:
    """Yield a message, or several of one role in a row; each has the anchor `m<number>`. With
    `dated`, the first one is the first of its day and shows the date."""
    number, message = run[0]
    if message.role not in ("user", "assistant"):
        yield from _aside(run)
        return
    # A turn is a section headed by its prompt, so that one can navigate without a mouse.
    name = "<h2>User</h2>" if message.role == "user" else "<h3>Assistant</h3>"
    model = f"<span>{one_line(message.model, 60)}</span> " if message.model else ""
    last = run[-1][0]
    numbers = str(number) if last == number else f"{number}–{last}"
    label = f"message{'s' if last > number else ''} {numbers}"
    yield f'<article class="message {message.role}"><div class="who">{name} {model}'
    yield _when(message, dated)
    yield f'<a href="#m{number}" aria-label="{label}" title="{label}">{numbers}</a></div>'
    yield from _said(run)
    yield "</article>"


def _when(message: Message, dated: bool) -> str:
    """Return the local time, with the day if it is a new one; the tooltip has both."""
    seconds = words.unix(message.time)
    if seconds is None:
        return ""
    told = f'datetime="{words.iso(seconds)}" title="{words.date(seconds)}"'
    return f"<time {told}>{words.moment(seconds) if dated else words.clock(message.time)}</time>"


def _aside(run: Sequence[tuple[int, Message]]) -> Iterator[str]:
    """Yield what neither person nor model said (context, notices), folded; a summary is not
    folded."""
    if any(part.kind == "compaction" for _, message in run for part in message.parts):
        yield from _said(run)
        return
    about = one_line(run[0][1].text, 80) if len(run) == 1 else ""
    count = words.plural(len(run), one_line(run[0][1].role, 20) or "note")
    yield f'<details class="reason"><summary>{count}{": " + about if about else ""}</summary>'
    for number, message in run:
        yield f'<div class="inside" id="m{number}">'
        for part in message.parts:
            yield from _part(part, "user")
        yield "</div>"
    yield "</details>"


def _said(run: Sequence[tuple[int, Message]]) -> Iterator[str]:
    """Yield the parts in order; adjacent steps (tool calls, reasoning) share one card."""
    in_card = False
    for number, message in run:
        yield f'<span class="anchor" id="m{number}"></span>' if not in_card else ""
        anchor = f' id="m{number}"' if in_card else ""
        calls = {id(call.call): call for call in message_calls(message, number)}
        answered = {id(call.result) for call in calls.values() if call.result is not None}
        for part in message.parts:
            if id(part) in answered or _says_nothing(part):
                continue
            call = calls.get(id(part))
            step = call is not None or part.kind == "reasoning"
            if in_card != step:
                yield '<div class="tools">' if step else "</div>"
                in_card = step
            yield from _call(call, anchor) if call else _part(part, message.role, anchor)
            anchor = ""
    yield "</div>" if in_card else ""


def _says_nothing(part: Part) -> bool:
    return part.kind in ("step", "text", "reasoning") and not part.text.strip()


def _part(part: Part, role: str, anchor: str = "") -> Iterator[str]:
    if part.kind == "text":
        # A person's text is shown as typed; a model's text is Markdown.
        if role == "user":
            yield from _typed(part.text)
        else:
            yield f'<div class="said"{anchor}>{prose.to_html(part.text)}</div>'
    elif part.kind == "reasoning":
        about = one_line(part.text[:2000].replace("**", ""), 160)
        yield f'<details class="tool thought"{anchor}><summary title="reasoning">'
        yield '<span role="img" aria-label="reasoning">~</span>'
        yield f'<span class="about">{about}</span></summary>'
        yield f'<div class="inside said">{prose.to_html(part.text)}</div></details>'
    elif part.kind == "compaction":
        yield f'<div class="compacted said"{anchor}><strong>The context was compacted. From here '
        yield f"the model sees this summary:</strong>{prose.to_html(part.text)}</div>"
    elif part.kind == "tool_result":
        yield f"<pre><code>{prose.plain(part.text)}</code></pre>"
    elif part.kind == "image" and (source := picture(part)):
        yield f'<img src="{source}" alt="{one_line(part.name or "image", 80)}">'
    else:
        name = one_line(part.name or part.text, 100)
        yield f'<p class="note">{escape(part.kind)}{": " + name if name else ""}</p>'


def _typed(text: str) -> Iterator[str]:
    context, request = split(text)
    if context:
        yield '<details class="reason"><summary>sent along by the editor</summary>'
        yield f'<div class="inside typed">{prose.plain(context)}</div></details>'
    if request or not context:
        yield f'<div class="typed">{prose.plain(request)}</div>'


def picture(part: Part) -> str:
    """Return a `data:` URL of a picture contained in the transcript, "" if there is none to
    show."""
    kind, data = part.name, part.text
    native = part.native
    if isinstance(native, Mapping):
        source = native.get("source", native)
        if isinstance(source, Mapping):
            kind = str(source.get("media_type") or source.get("mimeType") or kind)
            data = str(source.get("data") or source.get("image_url") or data)
    if data.startswith("data:"):
        kind, _, data = data[5:].partition(";base64,")
    if kind in _PICTURES and _BASE64.fullmatch(data):
        return f"data:{kind};base64,{data}"
    return ""


def _call(call: Call, anchor: str) -> Iterator[str]:
    outcome = call.outcome
    about = one_line(call_words.telling(call.call.input), 200)
    yield f'<details class="tool"{anchor}><summary title="{call_words.WORDS[outcome]}">'
    yield f'<span class="{outcome}" role="img" aria-label="{call_words.WORDS[outcome]}">'
    yield f"{call_words.SIGNS[outcome]}</span>"
    yield f"<b>{one_line(call.call.name, 60) or 'tool'}</b>"
    yield f'<span class="about">{about}</span></summary><div class="inside">'
    yield from _input(call)
    if call.result is not None and call.result.text.strip():
        yield f'<div class="label">{"error" if outcome == "error" else "output"}</div>'
        yield f"<pre><code>{prose.plain(call.result.text.rstrip())}</code></pre>"
    elif outcome != "ok":
        yield f'<p class="note">{call_words.WORDS[outcome]}</p>'
    yield "</div></details>"


def _input(call: Call) -> Iterator[str]:
    arguments = call.call.input
    edit = call_words.edit(arguments)
    if edit is not None:
        yield f"<pre><code>{''.join(_edit(*edit))}</code></pre>"
        return
    if not isinstance(arguments, Mapping):
        yield from _argument("input", call_words.pretty(arguments) if arguments else "")
        return
    telling = call_words.telling(arguments)
    short = []
    for name, value in arguments.items():
        shown = value if isinstance(value, str) else call_words.pretty(value)
        if len(shown) <= 100 and "\n" not in shown and shown != telling:
            short.append(f"{one_line(str(name), 40)}: {one_line(shown, 100)}")
        else:
            yield from _argument(str(name), shown)
    if short:
        yield f'<div class="label">{" · ".join(short)}</div>'


def _argument(name: str, text: str) -> Iterator[str]:
    if text:
        yield f'<div class="label">{one_line(name, 40)}</div>'
        yield f"<pre><code>{prose.plain(text)}</code></pre>"


def _edit(old: str, new: str) -> Iterator[str]:
    for hunk in unified.hunks(unified.split(old), unified.split(new)):
        for row in hunk.lines:
            kind = {"+": "add", "-": "del"}.get(row[:1], "")
            text = prose.plain(row)
            if not row.startswith("\\"):
                yield f'<span class="{kind}">{text}</span>' if kind else f"{text}\n"
