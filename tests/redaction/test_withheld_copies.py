"""A copy of a secret file under a name that says nothing follows the file it is a copy of."""

from __future__ import annotations

from gitsession.model.record import Record, Sidecar, Stream
from gitsession.model.session import Info, Session
from gitsession.redaction import Redactor
from gitsession.redaction.settings import Settings

KEY = b"k" * 32
ENV = b"DB_PASSPHRASE=Trivoli-Quartz-88-lantern\nHOST=db.example.org\n"


def session() -> Session:
    told = Record(b'{"text": "later: Trivoli-Quartz-88-lantern"}\n')
    copy = Sidecar("file-history/0123456789abcdef@v1", ENV, "config/.env.local")
    return Session(Info("claude-code", "x"), (Stream("main", (told,)),), (copy,))


def test_its_content_is_withheld_and_its_values_are_learned() -> None:
    redacted = Redactor(KEY).redact(session()).session
    [copy] = redacted.sidecars
    assert b"Trivoli" not in copy.data and b"db.example" not in copy.data
    assert str(len(ENV)).encode() in copy.data
    assert b"Trivoli" not in redacted.stream().records[0].data
    assert copy.path == "file-history/0123456789abcdef@v1"


def test_equal_copies_have_equal_marks_and_other_keys_give_others() -> None:
    one, two = (Redactor(KEY).redact(session()).session.sidecars[0].data for _ in range(2))
    assert one == two
    assert Redactor(b"x" * 32).redact(session()).session.sidecars[0].data != one


def test_it_can_be_attached_by_path() -> None:
    settings = Settings(attach=("config/.env.local",))
    [copy] = Redactor(KEY, lambda: settings).redact(session()).session.sidecars
    assert b"db.example.org" in copy.data and b"Trivoli" not in copy.data
