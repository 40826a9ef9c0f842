"""The second detector: stub during construction."""

from __future__ import annotations

from gitsession.redaction.patterns import Span


class SecondOpinion:
    __slots__ = ("candidates",)

    def __init__(self) -> None:
        self.candidates: list[tuple[str, int]] = []

    def judge(self, text: bytes, found: list[Span]) -> None:
        return
