"""The content of a file as a tool showed it, without what the tool adds."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[ ]{0,9}(\d{1,9})(?:→|\t|\| ?|: ?|\. ?)")
_CODEX = re.compile(r"\A(?:(?:Command|Chunk ID|Wall time|Exit code|Original token count"
                    r"|Total output lines|Process \w+).*\n){1,8}Output:\n")  # fmt: skip
_ABOVE = re.compile(r"\A(?:<path>.*</path>\n)?(?:<type>.*</type>\n)?<(file|content)>\n")
_BELOW = re.compile(r"\(End of file[^\n]*\)\Z")


def shown(output: str) -> str:
    """Return the text of a file that was read: no line numbers, no reminders, no envelope."""
    text = _CODEX.sub("", output)
    reminder = text.find("<system-reminder>")
    if reminder >= 0:
        text = text[:reminder].rstrip()
    inside = _ABOVE.match(text)
    if inside:
        end = text.rfind(f"</{inside[1]}>")
        text = text[inside.end() : end if end >= 0 else len(text)].rstrip()
        below = _BELOW.search(text, max(0, len(text) - 200))
        text = text[: below.start()].rstrip() if below else text
    return _without_numbers(text.strip("\n"))


def _without_numbers(text: str) -> str:
    """Remove line numbers, but only if every line has the one after its predecessor's: a list may
    have numbers as well."""
    lines = text.split("\n")
    first = _NUMBER.match(lines[0])
    bare = []
    for number, line in enumerate(lines, int(first[1]) if first else 0):
        found = _NUMBER.match(line)
        if found is None or int(found[1]) != number:
            return text
        bare.append(line[found.end() :])
    return "\n".join(bare)
