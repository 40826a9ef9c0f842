"""Markdown as agents write it, as safe HTML. Anything not understood stays text, and so do links.

It covers the forms that matter for reading a conversation: paragraphs, headings, lists, quotes,
tables, fenced and inline code, bold and italic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from gitsession.render import safe

_FENCE = re.compile(r"^ {0,3}(`{3,}+(?!.*`)|~{3,})[ \t]*([\w+#.-]{0,30})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"^([ \t]{0,40})(?:([-*+•])|(\d{1,9})[.)])[ \t]+(.*)$")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CODE = re.compile(r"(?<!`)(`{1,4})(?!`)(.+?)(?<!`)\1(?!`)")
_MASKED = re.compile(r"__REDACTED_[A-Za-z0-9_.-]{1,80}?__")
_INLINE = (
    (re.compile(r"\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,1000}?)(?<=[^\s*])\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]\n]{1,300})\]\(([^)\s]{1,2000})\)"), r'\1 <span class="url">\2</span>'),
)
_LONG = 4_000
"""A line longer than this is data, not prose: it is only escaped."""
_DEPTH = 6


def to_html(text: str) -> str:
    """Return blocks of HTML without attributes other than fixed classes; everything is escaped."""
    return "\n".join(_blocks(safe.markup(text).split("\n"), 0))


def plain(text: str) -> str:
    """Return text unchanged but escaped, for `<pre>`, with masked values marked."""
    return _marked(escape(safe.markup(text), quote=True))


def _marked(escaped: str) -> str:
    if "__REDACTED_" not in escaped:
        return escaped
    return _MASKED.sub(lambda found: f"<mark>{found[0]}</mark>", escaped)


def inline(text: str) -> str:
    """Return one line with its code spans and emphasis."""
    if len(text) > _LONG:
        return plain(text)
    said = []
    end = 0
    for code in _CODE.finditer(text):
        said.append(_emphasis(text[end : code.start()]))
        said.append(f"<code>{_marked(escape(code[2].strip() or code[2]))}</code>")
        end = code.end()
    said.append(_emphasis(text[end:]))
    return "".join(said)


def _emphasis(text: str) -> str:
    shown = escape(text, quote=True)
    for pattern, replacement in _INLINE:
        shown = pattern.sub(replacement, shown)
    return _marked(shown)


def _blocks(lines: list[str], depth: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if len(line) > _LONG:
            yield f"<p>{plain(line)}</p>"
        elif not line.strip():
            pass
        elif fence := _FENCE.match(line):
            end = _fence_end(lines, at, fence[1])
            closed = end <= len(lines) and end > at + 1 and _closes(lines[end - 1], fence[1])
            code = lines[at + 1 : end - 1 if closed else end]
            yield f"<pre><code>{plain(chr(10).join(code))}</code></pre>"
        elif heading := _HEADING.match(line):
            level = min(len(heading[1]) + 3, 6)
            yield f"<h{level}>{inline(heading[2])}</h{level}>"
        elif _RULE.match(line):
            yield "<hr>"
        elif line.lstrip().startswith(">") and depth < _DEPTH:
            end = _while(lines, at, lambda row: row.lstrip().startswith(">"))
            inner = [row.lstrip()[1:].removeprefix(" ") for row in lines[at:end]]
            yield "<blockquote>" + "\n".join(_blocks(inner, depth + 1)) + "</blockquote>"
        elif "|" in line and at + 1 < len(lines) and _TABLE_RULE.match(lines[at + 1]):
            end = _while(lines, at + 2, lambda row: "|" in row)
            yield _table(line, lines[at + 2 : end])
        elif _ITEM.match(line):
            end = _list_end(lines, at)
            yield _list(lines[at:end])
        else:
            end = _while(lines, at + 1, _goes_on)
            yield "<p>" + "<br>\n".join(inline(row.strip()) for row in lines[at:end]) + "</p>"
        at = end


def _while(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and holds(lines[at]):
        at += 1
    return at


def _goes_on(line: str) -> bool:
    """Whether a line can only continue the paragraph before it."""
    starts = (_FENCE, _HEADING, _RULE, _ITEM)
    return (
        0 < len(line.strip()) <= _LONG
        and not line.lstrip().startswith(">")
        and not any(pattern.match(line) for pattern in starts)
    )


def _closes(line: str, mark: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(mark) and set(stripped) == {mark[0]}


def _fence_end(lines: list[str], at: int, mark: str) -> int:
    for end in range(at + 1, len(lines)):
        if _closes(lines[end], mark):
            return end + 1
    return len(lines)


def _table(head: str, rows: list[str]) -> str:
    titles = _cells(head)
    said = ["<table><thead><tr>"]
    said += [f"<th>{inline(cell)}</th>" for cell in titles]
    said.append("</tr></thead><tbody>")
    for row in rows:
        cells = (_cells(row) + [""] * len(titles))[: len(titles)]
        said.append("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in cells) + "</tr>")
    said.append("</tbody></table>")
    return "".join(said)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]


def _list_end(lines: list[str], at: int) -> int:
    """Return the end of a list. It includes its items, lines indented below them, and single empty
    lines; an item of the other kind at the same level begins another list."""
    first = _ITEM.match(lines[at])
    end = at + 1
    while first and end < len(lines):
        line = lines[end]
        item = _ITEM.match(line if line.strip() or end + 1 == len(lines) else lines[end + 1])
        other = item and item[1] <= first[1] and bool(item[2]) != bool(first[2])
        if other or _FENCE.match(line) or not (item or line.startswith((" ", "\t"))):
            break
        end += 1
    return end


def _list(lines: list[str]) -> str:
    """Return a list nested by indentation; indented text without a mark belongs to the item
    above."""
    said: list[str] = []
    levels: list[tuple[int, str]] = []
    for line in lines:
        item = _ITEM.match(line)
        if not item:
            if line.strip():
                said.append("<br>" + inline(line.strip()))
            continue
        indent, kind = len(item[1].expandtabs(4)), "ul" if item[2] else "ol"
        while len(levels) > 1 and indent < levels[-1][0]:
            said.append(f"</li></{levels.pop()[1]}>")
        if not levels or (indent > levels[-1][0] + 1 and len(levels) < _DEPTH):
            levels.append((indent, kind))
            start = f' start="{int(item[3])}"' if item[3] and item[3] != "1" else ""
            said.append(f"<{kind}{start}><li>")
        else:
            said.append("</li><li>")
        said.append(inline(_ticked(item[4])))
    said += [f"</li></{kind}>" for _, kind in reversed(levels)]
    return "".join(said)


def _ticked(text: str) -> str:
    for box, sign in (("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")):
        if text.startswith(box):
            return sign + text[len(box) :]
    return text
