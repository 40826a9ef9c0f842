"""The engine: views of a text, one pass over all anchors, and what each of them calls for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from gitsession.redaction.anchors import Finder, Hit
from gitsession.redaction.budget import Budget
from gitsession.redaction.forms import FORM, KEY_WORD, SHORT_WORD, VENDOR, table
from gitsession.redaction.learned import Learned
from gitsession.redaction.lines import Joined, crosses, cut_lines
from gitsession.redaction.literals import joined_literals
from gitsession.redaction.patterns import Span
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.runs import DEEPEST, SHORTEST_RUN, RunReader, runs
from gitsession.redaction.shapes import ALNUM
from gitsession.redaction.spans import merge, outside, whole
from gitsession.redaction.views import is_plain, layers, titles

_LONG_ANCHOR = 6
_OFTEN = 500
_SHORT = 256
_WEIGHED = 6
"""One step per 64 bytes weighed as a value."""
_RUN_JOINT = ALNUM | frozenset(b"+/_-")
_LONGEST_ID = 200
"""Bytes. In strings up to this length, an anchor after a dash is not there by chance."""
_NAME = bytes(ALNUM) + b"_-"
_LONGEST_REST = 64
"""Bytes after a key word that are inspected to see whether they only complete a name."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gitsession.redaction.forms import Action
    from gitsession.redaction.second import Question
    from gitsession.redaction.settings import Row


class Engine:
    """Finds secrets in one string.

    `heard` collects (rule, value) of all findings, including those inside encoded runs, until
    somebody takes them. `disguised` says that the last string had to be unwrapped, so that a plain
    search for a value would not see everything.
    """

    __slots__ = (
        "_actions", "_find_anchors", "_names", "_own", "_placeholders", "disguised", "fast",
        "heard", "learned",
    )  # fmt: skip

    def __init__(
        self, placeholders: Placeholders, learned: Learned, fast: bool = True,
        own: tuple[Row, ...] = (),
    ) -> None:  # fmt: skip
        self._own = own
        self.fast = fast
        self.learned = learned
        self.heard: list[tuple[str, bytes]] = []
        self.disguised = False
        self._placeholders = placeholders
        self._actions: dict[int, list[Action]] = {}
        self._find_anchors: Finder | None = None
        self._names: dict[bytes, list[tuple[int, int, bool]]] = {}

    def find(self, source: bytes, name: bytes = b"") -> list[Span]:
        """Return sorted, disjoint spans of `source`; `name` is the JSON member that holds it.

        Raises Exhausted if the string costs more than its budget.
        """
        self.disguised = False
        if len(source) < _SHORT and not name and self._is_quiet(source):
            return []
        return self._find(source, name, 0, Budget(len(source)))

    def _is_quiet(self, source: bytes) -> bool:
        """Whether a short string needs no closer look, like nearly all of them."""
        return (
            is_plain(source)
            and next(iter(self._anchors(source.lower())), None) is None
            and not self.learned.occurs_in(source)
            and (len(source) < SHORTEST_RUN or next(runs(source), None) is None)
        )

    def find_fresh(self, source: bytes) -> list[Span]:
        """Like `find`, but as if nothing had been learned yet; leaves `heard` unchanged."""
        known, heard = self.learned, len(self.heard)
        self.learned = Learned(self.fast)
        try:
            return self.find(source)
        finally:
            self.learned = known
            del self.heard[heard:]

    def find_vendor(self, source: bytes) -> list[Span]:
        """Apply only the anchored rules: for values that must not change, but may hide no secret.

        A short anchor counts only at the start of a run: in long random runs it occurs by chance.
        """
        joint = _RUN_JOINT if len(source) > _LONGEST_ID else ALNUM
        found: list[Span] = []
        budget = Budget(len(source))
        for index, start, end in self._anchors(source.lower()):
            for kind, cost, what in self._actions[index]:
                if kind != VENDOR:
                    continue
                inside = start > 0 and source[start - 1] in joint
                if end - start >= _LONG_ANCHOR or not inside:
                    budget.spend(cost + (what.find(source, start, found) >> _WEIGHED))
        found = outside(merge(whole(source, found)), self._placeholders.spans(source))
        self.heard += [(rule, source[start:end]) for start, end, rule in found]
        return found

    def _anchors(self, lower: bytes) -> Iterable[Hit]:
        if self._find_anchors is None:
            self._actions, self._find_anchors = table(self._own, self.fast)
        return self._find_anchors(lower)

    def _find(self, source: bytes, name: bytes, depth: int, budget: Budget) -> list[Span]:
        text, views = layers(source)
        if views:
            self.disguised = True
        found: list[Span] = []
        self._scan(text, found, depth, budget)
        if name:
            found += _keyvalue().judge_member(name, text, self.key_words(name))
        hidden = self._in_titles(source, depth, budget) if views else []
        if not found:
            return hidden
        if b"\\" in source:
            # The backslash of an escaped quote belongs to the quote.
            found = [
                (start, end - (text[end - 1 : end] == b"\\"), rule) for start, end, rule in found
            ]
        found = outside(whole(text, found), self._placeholders.spans(text))
        found = merge(found)
        self.heard += [(rule, text[start:end]) for start, end, rule in found]
        for view in reversed(views):
            found = [(*view.source(start, end), rule) for start, end, rule in found]
        return merge(found + hidden) if views else found

    def _in_titles(self, source: bytes, depth: int, budget: Budget) -> list[Span]:
        """Find secrets in terminal titles and links; the text around them reads as one."""
        found: list[Span] = []
        for first, last in titles(source) if depth < DEEPEST else ():
            inner = self._find(source[first:last], b"", depth + 1, budget)
            found += [(first + start, first + end, rule) for start, end, rule in inner]
        return found

    def _scan(self, text: bytes, found: list[Span], depth: int, budget: Budget) -> None:
        asked, places = self._try_anchors(text, found, budget)
        if len(text) >= SHORTEST_RUN:
            reader: RunReader | None = None
            for start, end in runs(text):
                reader = reader or RunReader(partial(self._inside, budget), budget)
                reader.read(text, start, end, depth, found)
            if reader is not None and reader.looked_inside:
                self.disguised = True
        self.learned.find(text, found)
        for question, anchor in asked:
            question.ask(text, anchor, found)
        if places:
            places.sort()
            self._join(joined_literals(text, places), found, depth, budget)
            if b"\n" in text:
                self._join(cut_lines(text, places), found, depth, budget)

    def _join(self, parts: Iterable[Joined], found: list[Span], depth: int, budget: Budget) -> None:
        """Scan what a line end or a quote cuts: anchors joined with what continues them."""
        added: list[Span] = []
        for joined in parts:
            budget.spend(12)
            inner: list[Span] = []
            self._scan(joined.text, inner, depth, budget)
            for start, end, rule in outside(merge(inner), self._placeholders.spans(joined.text)):
                if crosses(joined, start, end, rule, found):
                    added.append((*joined.source(start, end), rule))
        found += added

    def _try_anchors(
        self, text: bytes, found: list[Span], budget: Budget
    ) -> tuple[list[tuple[Question, int]], list[int]]:
        """Run everything that the anchors call for. Returns the questions for the second detector
        with their anchors, and where anchors end."""
        lower = text.lower()
        steps, judged = 0, -1
        asked: list[tuple[Question, int]] = []
        places: list[int] = []
        for index, start, end in self._anchors(lower):
            places.append(end)
            for kind, cost, what in self._actions[index]:
                steps += cost
                if kind == KEY_WORD:
                    # `api_key` also covers `_key` and `key`.
                    if end != judged and not _ends_name(text, end):
                        steps += _keyvalue().judge(text, lower, start, end, what, found) >> _WEIGHED
                    judged = end
                elif kind == VENDOR:
                    steps += what.find(text, start, found) >> _WEIGHED
                elif kind == SHORT_WORD:
                    weighed = _keyvalue().judge(text, lower, start, end - 1, False, found)
                    steps += weighed >> _WEIGHED
                elif kind == FORM:
                    steps += (what(text, lower, start, end, found) or 0) >> _WEIGHED
                else:
                    asked.append((what, start))
            if steps > _OFTEN:
                budget.spend(steps)
                steps = 0
        budget.spend(steps)
        return asked, places

    def _inside(self, budget: Budget, data: bytes, depth: int) -> list[Span]:
        return self._find(data, b"", depth, budget)

    def key_words(self, name: bytes) -> list[tuple[int, int, bool]]:
        """The key words inside a member name; most names have none."""
        known = self._names.get(name)
        if known is not None:
            return known
        # Including the quote that follows the name in the text to judge.
        words = [
            (start, end - (kind == SHORT_WORD), what is True)
            for index, start, end in self._anchors(name.lower() + b'"')
            for kind, _, what in self._actions[index]
            if kind in (KEY_WORD, SHORT_WORD)
        ]
        if len(self._names) < 10_000:
            self._names[name] = words
        return words


@cache
def _keyvalue() -> ModuleType:
    """The judge of key words, loaded with the first one that may have a value."""
    from gitsession.redaction import keyvalue

    return keyvalue


def _ends_name(text: bytes, end: int) -> bool:
    """Whether the text ends with the name that contains the key word, as member names do. Between a
    name and a value there is always a character that no name contains."""
    return len(text) - end <= _LONGEST_REST and not text[end:].translate(None, _NAME)
