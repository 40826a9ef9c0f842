"""Compaction by Claw Code's rules: when it is due, where the border is, a summary in seven parts
without a model, merged with an earlier one, and the message from which a model continues."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gitsession.context.entry import Entries, Entry, out, summary_entry
from gitsession.context.lines import one_line
from gitsession.context.measure import input_text
from gitsession.context.tokens import claw_estimate
from gitsession.model.message import Part

PRESERVE = 4
THRESHOLD = 10_000
EXTENSIONS = ("rs", "ts", "tsx", "js", "json", "md", "py", "go", "java", "toml", "yaml", "yml")
"""Claw's own six, and other common ones."""

PREAMBLE = "This session goes on from an earlier conversation whose older part was compacted."
ENDING = (
    "The newest messages follow word for word.",
    "Go on from there directly: do not repeat this summary and do not ask what was done.",
)
_FOREIGN = "This session is being continued from a previous conversation"
_OLD, _NEW, _TIMELINE = "Previously compacted:", "Newly compacted:", "Timeline:"
_HIGHLIGHTS = 40
"""The most lines of earlier summaries that are carried over, so that summaries stay small after
many compactions."""

_PENDING = re.compile(r"(?i)todo|next|pending|follow up|remaining")


def estimate(entry: Entry) -> int:
    """Return Claw's estimate of a message in tokens, each block rounded separately."""
    return sum(claw_estimate(_block(part)) for part in entry.message.parts)


def _block(part: Part) -> str:
    if part.kind == "tool_call":
        return part.name + input_text(part)
    return part.text


def should_compact(entries: Entries, preserve: int = PRESERVE, threshold: int = THRESHOLD) -> bool:
    """Whether more than `preserve` messages follow an existing summary, with an estimate of at
    least `threshold`."""
    fresh = _after_summary(entries)
    if sum(map(messages_in, fresh)) <= preserve:
        return False
    return sum(map(estimate, fresh)) >= threshold


def _after_summary(entries: Entries) -> Entries:
    kept = [entry for entry in entries if entry.kept and not _is_system(entry)]
    if kept and summary_text(kept[0]):
        kept = kept[1:]
    return tuple(kept)


def _is_system(entry: Entry) -> bool:
    return entry.must == "system"


def messages_in(entry: Entry) -> int:
    """Return the number of messages as Claw counts them: each tool result is one of its own."""
    return 1 + sum(part.kind == "tool_result" for part in entry.message.parts)


def border(entries: Entries, preserve: int = PRESERVE) -> int:
    """Return the position from which at least `preserve` messages are kept, `len(entries)` for
    none. The kept part never starts with a tool result, since results belong to the message of
    their call."""
    left, start = preserve, len(entries)
    for place in range(len(entries) - 1, -1, -1):
        if left <= 0:
            break
        if entries[place].kept:
            left -= messages_in(entries[place])
            start = place
    return start


def compact(
    entries: Entries, preserve: int = PRESERVE, extensions: Sequence[str] = EXTENSIONS
) -> Entries:
    """Return the entries with everything before the border summarised into one message at the head,
    merged with an earlier summary. Unchanged if there is nothing before the border."""
    start = border(entries, preserve)
    earlier = ""
    removed: list[Entry] = []
    head: list[Entry] = []
    for entry in entries[:start]:
        if not entry.kept or entry.must:
            head.append(entry)
            continue
        found = summary_text(entry) if not removed else ""
        earlier = found or earlier
        if not found:
            removed.append(entry)
        head.append(out(entry, "summarised", "compacted"))
    if not removed:
        return entries
    lines = summarise(removed, extensions)
    text = merge(earlier, lines) if earlier else "\n".join(lines)
    made = summary_entry(continuation(text), "system")
    systems = sum(map(_is_system, head))
    return (*head[:systems], made, *head[systems:], *entries[start:])


def continuation(summary: str) -> str:
    """Return the message from which a model continues."""
    return "\n\n".join((PREAMBLE, tidy(summary), " ".join(ENDING)))


def summary_text(entry: Entry) -> str:
    """Return the summary in a continuation message (ours, or Claw's own); "" for other messages."""
    text = entry.message.text
    if text.startswith(PREAMBLE):
        body = text.removeprefix(PREAMBLE).strip()
        return body.removesuffix(" ".join(ENDING)).strip()
    if entry.message.role == "system" and text.startswith(_FOREIGN):
        return text.partition("\n")[2].strip()
    return ""


def tidy(text: str) -> str:
    """Clean up a summary written by a model: remove its analysis and the tags around the rest, and
    collapse runs of blank lines."""
    text = re.sub(r"<analysis>.*?</analysis>", "", text, flags=re.DOTALL)
    found = re.search(r"<summary>(.*?)</summary>", text, flags=re.DOTALL)
    return re.sub(r"\n{3,}", "\n\n", found[1] if found else text).strip()


def summarise(removed: Sequence[Entry], extensions: Sequence[str] = EXTENSIONS) -> list[str]:
    """Return the seven parts as lines: scope, tools, requests, pending work, files, current work,
    timeline. A quoted line has at most 160 characters, the current work 200."""
    requests = [_text(entry) for entry in removed if entry.message.role == "user"]
    texts = [text for text in map(_text, removed) if text]
    pending = [text for text in texts if _PENDING.search(text)]
    tools = sorted({p.name for e in removed for p in e.message.parts if p.kind == "tool_call"})
    lines = [f"- Scope: {_scope(removed)}"]
    if tools:
        lines.append(f"- Tools: {', '.join(tools)}")
    lines += _section("Recent requests", [text for text in requests if text][-3:])
    lines += _section("Pending work", pending[-3:])
    if files := key_files(removed, extensions):
        lines.append(f"- Key files: {', '.join(files)}")
    if texts:
        lines.append(f"- Current work: {one_line(texts[-1], 200)}")
    return [*lines, _TIMELINE, *(f"- {line}" for line in _timeline(removed))]


def _section(title: str, texts: Sequence[str]) -> list[str]:
    return [f"- {title}:", *(f"  - {one_line(text)}" for text in texts)] if texts else []


def _text(entry: Entry) -> str:
    return entry.message.text.strip()


def _scope(removed: Sequence[Entry]) -> str:
    roles = Counter(entry.message.role for entry in removed)
    roles["tool"] = sum(messages_in(entry) - 1 for entry in removed)
    counts = ", ".join(f"{roles[name]} {name}" for name in ("user", "assistant", "tool"))
    return f"{sum(map(messages_in, removed))} earlier messages ({counts})"


def key_files(removed: Sequence[Entry], extensions: Sequence[str] = EXTENSIONS) -> list[str]:
    """Return words with a slash and one of the file extensions (in any case), sorted, at most
    eight."""
    endings = tuple("." + name.lower() for name in extensions)
    found = set()
    for entry in removed:
        for part in entry.message.parts:
            text = _block(part)
            # Hardly any word has a slash, so check for that first. Quotes end a word, since
            # arguments of tools are JSON.
            for word in text.replace('"', " ").split() if "/" in text else ():
                if "/" in word and len(word) < 320:
                    word = word.strip("'`,.:;()[]{}<>\\")
                    if len(word) < 300 and word.lower().endswith(endings):
                        found.add(word)
    return sorted(found)[:8]


def _timeline(removed: Sequence[Entry]) -> Iterator[str]:
    for entry in removed:
        blocks = " | ".join(one_line(_shown(part)) for part in entry.message.parts)
        yield f"{entry.message.role}: {blocks}"


def _shown(part: Part) -> str:
    if part.kind == "tool_call":
        return f"{part.name}({input_text(part)})"
    return f"result: {part.text}" if part.kind == "tool_result" else part.text


def merge(earlier: str, lines: list[str]) -> str:
    """Merge a second compaction: the highlights of the earlier summary, flat and without its
    timeline, then the new highlights, then the new timeline."""
    return "\n".join([_OLD, *_highlights(earlier)[-_HIGHLIGHTS:], _NEW, *lines])


def _highlights(summary: str) -> list[str]:
    found: list[str] = []
    for line in summary.split("\n"):
        if line.strip() == _TIMELINE:
            break
        if line.strip() and line.strip() not in (_OLD, _NEW) and line not in found:
            found.append(line)
    return found
