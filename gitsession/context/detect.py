"""Detect key messages by their words, in English and Chinese: a requirement stated, a decision
made, a direction confirmed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from gitsession.model.message import Message

if TYPE_CHECKING:
    from gitsession.context.known_counts import KnownCounts

KINDS = ("requirement", "decision", "confirmation")
_LOOKED_AT = 4_000
"""The number of characters of a message that are examined, half from each end: in long messages
that is where what matters is said."""

_CONFIRMATION = re.compile(
    r"(?i)^\W*(?:yes|yep|yeah|ok|okay|sure|agreed?|correct|exactly|perfect|approved?|confirmed"
    r"|lgtm|go ahead|sounds good|looks good|do it|proceed|that works|let'?s do (?:it|that)"
    r"|(?:是的|对的?|好的?|行|可以|没问题|同意|确认|就这样|就这么|按这个|赞成|批准|继续吧)(?:[，。！,.!\s]|$|就|按|做))"
)
_DECISION = re.compile(
    r"(?i)\b(?:decided?|decision|chose|chosen|settled on|going with|go with|opt(?:ed)? for"
    r"|let'?s use|we(?:'ll| will| should)? use|i(?:'ll| will) use|switch(?:ed)? to"
    r"|instead of|agreed (?:on|to)|the plan is|root cause)\b"
    r"|决定|选择了?|选用|采用|改用|就用|换成|统一使用|约定|定为|方案是|最终方案|根本原因"
)
_REQUIREMENT = re.compile(
    r"(?i)\b(?:must(?:n'?t)?|have to|has to|needs? to|required?|requirements?|shall|make sure"
    r"|ensure|never|always|don'?t|do not|should(?:n'?t)?|important|at (?:least|most)|only use"
    r"|please use|i want|we want|i need|we need)\b"
    r"|必须|需要|要求|务必|一定要|不要|不能|不得|禁止|应该|应当|希望|请用|请使用|不许|至少|至多|只能"
)


def kind_of(message: Message) -> str:
    """Return `requirement`, `decision` or `confirmation` by the words of a message, "" for none.

    Requirements and confirmations come from users only, decisions from anybody.
    """
    text = _looked_at(message.text)
    if not text.strip():
        return ""
    if message.role == "user":
        if len(text) < 200 and _CONFIRMATION.match(text):
            return "confirmation"
        if _REQUIREMENT.search(text):
            return "requirement"
    return "decision" if _DECISION.search(text) else ""


def _looked_at(text: str) -> str:
    if len(text) <= _LOOKED_AT:
        return text
    return text[: _LOOKED_AT // 2] + "\n" + text[-_LOOKED_AT // 2 :]


class Detector:
    """`kind_of` that examines no text twice; verdicts stored in `known` last beyond this
    process."""

    def __init__(self, known: KnownCounts) -> None:
        self._known = known
        self._stored = known.read()
        self._fresh: dict[bytes, int] = {}
        self._seen: dict[tuple[str, str], str] = {}
        rules = "\n".join(one.pattern for one in (_CONFIRMATION, _DECISION, _REQUIREMENT))
        self._rules = blake2b(rules.encode(), digest_size=8).hexdigest()

    def kind_of(self, message: Message) -> str:
        content = (message.role, message.text)
        found = self._seen.get(content)
        if found is None:
            found = self._seen[content] = self._looked_up(message, content[1])
        return found

    def remember(self) -> None:
        """Store the new verdicts for later processes."""
        if self._fresh:
            self._known.add(self._fresh)
            self._fresh = {}

    def _looked_up(self, message: Message, text: str) -> str:
        if not text or text.isspace():
            return ""
        name = self._known.name(f"{self._rules} {message.role}\n{_looked_at(text)}")
        number = self._stored.get(name, len(_VERDICTS))
        if number < len(_VERDICTS):
            return _VERDICTS[number]
        found = kind_of(message)
        self._fresh[name] = _VERDICTS.index(found)
        return found


_VERDICTS = ("", *KINDS)


def key_messages(
    messages: Sequence[Message], kind_of: Callable[[Message], str] = kind_of
) -> dict[int, str]:
    """Return position → kind. A confirmation also makes the message it confirms a key one, a
    `proposal`."""
    found: dict[int, str] = {}
    spoken = -1
    for place, message in enumerate(messages):
        kind = kind_of(message)
        if kind:
            found[place] = kind
        if kind == "confirmation" and spoken >= 0:
            found[spoken] = "proposal"
        if message.role == "assistant" and message.text.strip():
            spoken = place
    return found
