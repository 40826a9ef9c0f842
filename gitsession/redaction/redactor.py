"""The Redactor: sessions, texts and JSON values in, the same without secrets out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.finding import Clean, Finding, Redacted
    from gitsession.model.session import Session
    from gitsession.redaction.placeholders import Placeholders
    from gitsession.redaction.records import RecordReader
    from gitsession.redaction.scanner import Scanner
    from gitsession.redaction.sessions import SessionWalk, TailsByStream
    from gitsession.redaction.settings import Settings

    Known = Callable[[], Iterable[tuple[bytes, str]]]
    Asked = Callable[[], Settings | None]


class Redactor:
    """Removes secrets; the user's `key` (any bytes) names the placeholders.

    Learned values live as long as the Redactor: use one per save. Creating it costs nothing.
    """

    def __init__(
        self, key: bytes, settings: Asked | None = None, *, fast: bool = True,
        known: Known | None = None,
    ) -> None:  # fmt: skip
        """`settings` returns the user's additions to the rules, `known` values that are secret
        whatever they look like, with their rules. Both are called with the first text."""
        self._key = key
        self._known = known
        self._fast = fast
        self._made: tuple[RecordReader, Placeholders] | None = None
        self._ask_settings = settings
        self._settings: Settings | None = None
        self._learning: TailsByStream = {}
        self._redacting: TailsByStream = {}
        self.noted: list[Finding] = []

    @property
    def _scanner(self) -> Scanner:
        return self._parts()[0].scanner

    @property
    def _placeholders(self) -> Placeholders:
        return self._parts()[1]

    def _parts(self) -> tuple[RecordReader, Placeholders]:
        """Load the engine with the first text: many commands never use their Redactor."""
        if self._made is None:
            from gitsession.redaction.compiled import RULES
            from gitsession.redaction.placeholders import Placeholders
            from gitsession.redaction.records import RecordReader
            from gitsession.redaction.scanner import Scanner

            self._settings = self._ask_settings() if self._ask_settings else None
            own = self._settings.rules if self._settings else ()
            placeholders = Placeholders(self._key, frozenset(row[0] for row in (*RULES, *own)))
            scanner = Scanner(placeholders, self._fast, self._settings)
            for value, rule in self._known() if self._known else ():
                scanner.learned.add(value, rule, always=True)
            self._made = RecordReader(scanner), placeholders
        return self._made

    def learn(self, session: Session) -> None:
        """Scan a session only to learn its secrets, so that a bare repetition before the place that
        gives the value away is masked too."""
        self._walk(self._learning).learn(session)

    def learn_all(self, sessions: Sequence[Session], fork: bool = True) -> None:
        """`learn` from each of them, in order and for the last time; from much data in two
        processes, if it may `fork`. They must stay in memory until they are redacted."""
        from gitsession.redaction.together import learn

        learn(sessions, self._parts()[0], self._learning, self._walk, fork)

    def recall(self, findings: Iterable[Finding], read: Callable[[Finding], bytes | None]) -> None:
        """Take up findings of earlier saves. `read` returns the source bytes at a finding's offset
        and length, or None; if those do not match its hash, words of that length are compared
        instead."""
        for finding in findings:
            data = read(finding) if finding.offset >= 0 and finding.length > 0 else None
            if data is not None and self._placeholders.mac(data) == finding.mac:
                for value in _spellings(data):
                    self._scanner.learned.add(value, finding.rule)
            else:
                self._scanner.recalled.add(finding.length, finding.mac, finding.placeholder)

    def precede(self, stream: str, records: Sequence[bytes]) -> None:
        """Read the last records of `stream` that were already saved, so that a token cut by the
        border of two saves is found; they are not changed."""
        from gitsession.redaction.records import RecordReader, Tail, forget_places

        ends: dict[str, Tail] = {}
        RecordReader(self._scanner).records(records, ends)
        forget_places(ends)
        for tails in (self._learning, self._redacting):
            tails.setdefault(stream, {}).update(ends)
        self._scanner.learn()

    def redact(self, session: Session) -> Redacted:
        """Return the session without secrets, and what was found."""
        return self._walk(self._redacting).redact(session)

    def clean(self, text: str, place: str = "") -> Clean:
        """Redact one text on its way into a name, a message, a path or a report; findings are added
        to `noted` under `place`."""
        from gitsession.model.finding import _PROOF, Clean
        from gitsession.redaction.notes import Notes

        notes = Notes(self._scanner, self._placeholders)
        text = notes.clean(text, "", place)
        self.noted += notes.findings
        self._scanner.learn()
        return Clean(text, _PROOF)

    @property
    def provenance(self) -> dict[str, str]:
        """The rule set and key in force, as a version records them: the key as eight hex digits
        that reveal nothing about it."""
        from gitsession.redaction.compiled import VERSION

        self._parts()
        added = self._settings.version() if self._settings else ""
        rules = f"{VERSION}+{added}" if added else VERSION
        return {"rules": rules, "key": self._placeholders.mac(b"name of the key")[:8]}

    @property
    def unscanned(self) -> int:
        """How many strings were masked as a whole because they cost too much to scan."""
        return self._scanner.unscanned if self._made else 0

    def findings_in(self, text: str) -> tuple[Finding, ...]:
        """What would be masked in a text (JSON Lines are read as such); changes nothing."""
        return self._walk({}).findings_in(text)

    def named(self, value: bytes, rule: str = "secret") -> str:
        """The placeholder of a value: under the rule that finds it on its own, or else `rule`."""
        found = self._scanner.text(value)
        if len(found) == 1 and found[0][:2] == (0, len(value)):
            rule = found[0][2]
        return self._placeholders.name(value, self._scanner.learned.rule(value, rule))

    def matches(self, value: bytes, mac: str) -> bool:
        """Whether a finding's keyed hash is that of exactly these bytes."""
        return bool(mac) and self._placeholders.mac(value) == mac

    def learned(self) -> dict[bytes, str]:
        """Values found so far, with their placeholders. For memory only: never write them."""
        values = self._scanner.learned.values()
        return {
            value: self._placeholders.name(value, self._scanner.learned.rule(value, "secret"))
            for value in values
        }

    def _walk(self, tails: TailsByStream) -> SessionWalk:
        from gitsession.redaction.sessions import SessionWalk

        reader, placeholders = self._parts()
        return SessionWalk(reader, placeholders, tails, self._settings)


def _spellings(data: bytes) -> list[bytes]:
    """The text that raw bytes of a JSON literal stand for, and those bytes."""
    if b"\\" not in data:
        return [data]
    from gitsession.redaction.views import json_literal

    return [json_literal(data).text, data]
