"""Output that an agent kept from its model: written to a file, or cut."""

from __future__ import annotations

import re
from typing import NamedTuple

from gitsession.events.used import Found, Used

_HEAD, _TAIL = 600, 600
_HINTS = ("too large", "truncated", "omitted", "indexed", "ull output", "Showing lines")
_SIZE = r"(\d[\d.,]{0,20})\s*([kKmM]?i?[bB]|bytes|chars|characters|tokens)"
_FILED = re.compile(
    rf"[Oo]utput too large[^(\n]*\({_SIZE}\)\.?\s*(?:Full output )?[Ss]aved to:?\s*(\S+)"
    rf"|Fetched and indexed[^(\n]*\({_SIZE}\)"
)
_CUT = re.compile(rf"(?:…|\.\.\.|\[)\s*{_SIZE} (?:truncated|omitted)")
_PATH = re.compile(
    r"[Ff]ull output(?: saved to| available at| for reference|:| see)*:?\s*(/\S+|[A-Z]:\\\S+)"
)
_UNITS = {"k": 1024, "m": 1024 * 1024, "t": 4}
"""A token counts as four bytes, an estimate: agents give no better figure."""


class KeptOut(NamedTuple):
    """What was kept from the model: `avoided` bytes (0 if unknown) and the `path` of the output (""
    likewise)."""

    avoided: int
    path: str

    def found(self, tool: str) -> Found:
        size = f", {self.avoided} bytes" if self.avoided else ""
        where = f", in {self.path}" if self.path else ""
        return Found("redirect", "redirect", 4, f"{tool}: output kept from the model{size}{where}")


def kept_out(used: Used) -> KeptOut | None:
    """Return what was kept out, None if the model saw everything or nothing in the output says
    otherwise."""
    output = used.output
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    if not any(hint in text for hint in _HINTS):
        return None
    filed = _FILED.search(text)
    if filed:
        number, unit = filed[1] or filed[4], filed[2] or filed[5]
        return KeptOut(_bytes(number, unit), (filed[3] or "").rstrip(".)]"))
    cut = _CUT.search(output) if used.kind == "shell" else None
    path = _PATH.search(text)
    if cut or path:
        return KeptOut(_bytes(cut[1], cut[2]) if cut else 0, path[1].rstrip(".)]") if path else "")
    return None


def _bytes(number: str, unit: str) -> int:
    try:
        return round(float(number.replace(",", "").strip(".")) * _UNITS.get(unit[0].lower(), 1))
    except ValueError:
        return 0
