"""Markdown by others inside a page of ours: it keeps its formatting and cannot break out.

HTML and images are defused outside of code, headings are put below ours, and what is code here is
code for every reader: fences are rewritten at the margin, where no list ends them early.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitsession.render import safe

_FENCE = re.compile(r"^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}(?!.*`)|~{3,})(.*)$")
_SPAN = re.compile(r"(?<!`)(`{1,4})(?!`)(.+?)(?<!`)\1(?!`)")
_LONG = 4_000
"""A line longer than this is data: nothing in it counts as code."""


def lines(text: str) -> Iterator[str]:
    """Yield the lines of the text, defused."""
    given = safe.markup(text).strip("\n").split("\n")
    at, even = 0, True
    while at < len(given):
        found = _FENCE.match(given[at]) if len(given[at]) < _LONG else None
        if found:
            end = _end_of(given, at + 1, found[2])
            if found[1].strip():
                yield found[1].rstrip()
            yield from _fenced(given[at + 1 : end], len(found[1].expandtabs(4)), found[2], found[3])
            at, even = end + 1, True
            continue
        line = given[at]
        even = even or not line.strip()
        yield _below(_defused(line, even))
        even = even and _is_even(line)
        at += 1


def _end_of(given: Sequence[str], start: int, fence: str) -> int:
    for number in range(start, len(given)):
        stripped = given[number].strip()
        if len(stripped) >= len(fence) and set(stripped) == {fence[0]}:
            return number
    return len(given)


def _fenced(body: Sequence[str], indent: int, fence: str, info: str) -> Iterator[str]:
    """Yield the block at the margin, in a fence that no line of it closes."""
    rows = [_outdented(row, indent) for row in body]
    inner = re.findall(f"{fence[0]}{{3,}}", "\n".join(rows))
    mark = fence[0] * max(len(fence), 1 + max(map(len, inner), default=0))
    yield mark + info.replace("|", " ")  # some readers look for a table's head first
    yield from rows
    yield mark


def _outdented(line: str, indent: int) -> str:
    if not indent or not line[:1].isspace():
        return line
    wide = line.expandtabs(4)
    return wide[min(indent, len(wide) - len(wide.lstrip())) :]


def _below(line: str) -> str:
    """Lower a heading inside a message, so that it ranks below the message's own heading."""
    heading = re.match(r" {0,3}(#{1,6})(?=[ \t])", line)
    return "#" * min(len(heading[1]) + 3, 6) + line[heading.end() :] if heading else line


def _is_even(line: str) -> bool:
    """Whether each backtick has its partner on the line, however the line is parsed: a paragraph
    may contain code that begins on one line and ends on another, an escaped backtick does not
    count, and a table is cut into cells first."""
    if "`" not in line:
        return True
    if len(line) >= _LONG or "\\`" in line:
        return False
    left = _SPAN.sub("", line)
    return "`" not in left and left.count("|") == line.count("|")


def _defused(line: str, even: bool) -> str:
    """Defuse a line; `even` says that no code is open from the lines above."""
    if "<" not in line and "![" not in line:
        return line
    if not even or not _is_even(line):
        return _harmless(line)
    said, end = [], 0
    for span in _SPAN.finditer(line):
        said += [_harmless(line[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*said, _harmless(line[end:])])


def _harmless(text: str) -> str:
    return text.replace("<", "&lt;").replace("![", "!\\[")
