"""The engine: views of a text, one pass over all anchors, what stands at each, spans in the source."""

from __future__ import annotations

from functools import partial

from gitsession.redaction import carriers, keyfiles
from gitsession.redaction.anchors import Finder, every
from gitsession.redaction.budget import Budget
from gitsession.redaction.carriers import Detector
from gitsession.redaction.keynames import PASSWORD_WORDS, TOKEN_WORDS
from gitsession.redaction.keyvalue import judge, judge_member
from gitsession.redaction.learned import Learned
from gitsession.redaction.patterns import Span
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.runs import RunReader, runs
from gitsession.redaction.second import SecondOpinion
from gitsession.redaction.shapes import ALNUM
from gitsession.redaction.spans import merge, outside
from gitsession.redaction.vendor import Rule, rules
from gitsession.redaction.views import layers

_LONG_ANCHOR = 6
_RUN_JOINT = ALNUM | frozenset(b"+/=_-")
_KEY_WORD = 0
_VENDOR = 1
_FORM = 2
Action = tuple[int, object]


class Engine:
    """Finds secrets in one string. `heard` gathers (rule, value) of all that was found, also
    inside of encoded runs, until somebody takes it; `disguised` says that the last string had
    to be unwrapped, so that a plain search for a value would not see everything."""

    __slots__ = (
        "_actions", "_find_anchors", "_names", "_placeholders", "_second", "disguised", "fast",
        "heard", "learned",
    )  # fmt: skip

    def __init__(self, placeholders: Placeholders, learned: Learned, fast: bool = True) -> None:
        self.fast = fast
        self.learned = learned
        self.heard: list[tuple[str, bytes]] = []
        self.disguised = False
        self._placeholders = placeholders
        self._actions: list[list[Action]] = []
        self._find_anchors: Finder | None = None
        self._names: dict[bytes, list[tuple[int, int, bool]]] = {}
        self._second = SecondOpinion()

    def find(self, source: bytes, name: bytes = b"") -> list[Span]:
        """Sorted, disjoint spans of `source`; `name` is the JSON member that holds it.

        Raises Exhausted when the string costs more than its budget.
        """
        self.disguised = False
        return self._find(source, name, 0, Budget(len(source)))

    def find_vendor(self, source: bytes) -> list[Span]:
        """Only anchored rules: for values that must stay as they are, but may hide nothing.

        A short anchor counts only at the start of a run: in long random ones it occurs by chance.
        """
        found: list[Span] = []
        budget = Budget(len(source))
        for index, start, end in self._anchors(source.lower()):
            for kind, what in self._actions[index]:
                if kind != _VENDOR:
                    continue
                inside = start > 0 and source[start - 1] in _RUN_JOINT
                if end - start >= _LONG_ANCHOR or not inside:
                    budget.spend(1)
                    assert isinstance(what, Rule)
                    what.find(source, start, found)
        found = outside(merge(found), self._placeholders.spans(source))
        self.heard += [(rule, source[start:end]) for start, end, rule in found]
        return found

    def _anchors(self, lower: bytes) -> object:
        if self._find_anchors is None:
            table: dict[bytes, list[Action]] = {}
            for anchor, action in _actions():
                table.setdefault(anchor, []).append(action)
            self._actions = list(table.values())
            self._find_anchors = every(list(table), self.fast)
        return self._find_anchors(lower)

    def _find(self, source: bytes, name: bytes, depth: int, budget: Budget) -> list[Span]:
        text, views = layers(source)
        if views:
            self.disguised = True
        found: list[Span] = []
        self._scan(text, found, depth, budget)
        if name:
            found += judge_member(name, text, self.key_words(name))
        if not found:
            return found
        if b"\\" in source:
            # The backslash of an escaped quote belongs to the quote.
            found = [
                (start, end - (text[end - 1 : end] == b"\\"), rule) for start, end, rule in found
            ]
        found = outside(found, self._placeholders.spans(text))
        found = merge(found)
        self.heard += [(rule, text[start:end]) for start, end, rule in found]
        for view in reversed(views):
            found = [(*view.source(start, end), rule) for start, end, rule in found]
        return merge(found) if views else found

    def _scan(self, text: bytes, found: list[Span], depth: int, budget: Budget) -> None:
        lower = text.lower()
        steps = 0
        for index, start, end in self._anchors(lower):  # type: ignore[attr-defined]
            steps += 1
            for kind, what in self._actions[index]:
                if kind == _KEY_WORD:
                    judge(text, lower, start, end, what, found)  # type: ignore[arg-type]
                elif kind == _VENDOR:
                    what.find(text, start, found)  # type: ignore[attr-defined]
                else:
                    what(text, lower, start, end, found)  # type: ignore[operator]
            if steps > 500:
                budget.spend(steps)
                steps = 0
        budget.spend(steps)
        reader: RunReader | None = None
        for start, end in runs(text):
            if reader is None:
                reader = RunReader(partial(self._inside, budget), budget)
            reader.read(text, start, end, depth, found)
        if reader is not None and reader.looked_inside:
            self.disguised = True
        self.learned.find(text, found)
        if self._second.candidates:
            self._second.judge(text, found)

    def _inside(self, budget: Budget, data: bytes, depth: int) -> bool:
        return bool(self._find(data, b"", depth, budget))

    def key_words(self, name: bytes) -> list[tuple[int, int, bool]]:
        """The key words inside a member name; none for most names."""
        known = self._names.get(name)
        if known is not None:
            return known
        words = [
            (start, end, what is True)
            for index, start, end in self._anchors(name.lower())  # type: ignore[attr-defined]
            for kind, what in self._actions[index]
            if kind == _KEY_WORD
        ]
        if len(self._names) < 10_000:
            self._names[name] = words
        return words


def _actions() -> list[tuple[bytes, Action]]:
    rows: list[tuple[bytes, Action]] = []
    for rule in rules():
        rows += [(anchor, (_VENDOR, rule)) for anchor in rule.anchors]
    rows += [(word, (_KEY_WORD, True)) for word in sorted(PASSWORD_WORDS)]
    rows += [(word, (_KEY_WORD, False)) for word in sorted(TOKEN_WORDS)]
    forms: list[tuple[bytes, Detector]] = carriers.detectors() + keyfiles.detectors()
    return rows + [(anchor, (_FORM, detector)) for anchor, detector in forms]
