"""Placeholders for findings, and the Findings that record where they were."""

from __future__ import annotations

from gitsession.model.finding import Finding
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.scanner import Scanner
from gitsession.redaction.spans import fill

IDS = frozenset(("identity", "native_id", "parent", "agent", "created", "updated", "code"))
"""Fields of the model that identify things: only the anchored rules apply to them."""


class Notes:
    """Redacts single texts and collects `findings`."""

    def __init__(self, scanner: Scanner, placeholders: Placeholders) -> None:
        self._scanner = scanner
        self._placeholders = placeholders
        self.findings: list[Finding] = []

    def place(self, stream: str, index: int, path: str) -> str:
        place = f"{stream}:{index} {path}".strip()
        data = place.encode("utf-8", "surrogatepass")
        found = self._scanner.text(data)
        if found:
            place = fill(data, found, self.name).decode("utf-8", "replace")
        return place

    def clean(self, text: str, name: str, place: str) -> str:
        found = self._scanner.word(text, name, exact=name in IDS)
        if not found:
            return text
        data = text.encode("utf-8", "surrogatepass")
        for start, end, rule in found:
            value = data[start:end]
            self.note(rule, place, self.name(value, rule), "", -1, value)
        return fill(data, found, self.name).decode("utf-8", "surrogatepass")

    def note(
        self, rule: str, place: str, placeholder: str, stream: str, offset: int, value: bytes
    ) -> None:
        mac = self._placeholders.mac(value)
        shown = placeholder[len("__REDACTED_") : -len("_01234567__")]
        self.findings.append(
            Finding(shown or rule, place, placeholder, stream, offset, len(value), mac)
        )

    def name(self, value: bytes, rule: str) -> str:
        """The placeholder of a value: that of an earlier save, else by its most specific rule."""
        return self._scanner.recalled.placeholder(value) or self._placeholders.name(
            value, self._scanner.learned.rule(value, rule)
        )
