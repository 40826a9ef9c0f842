"""Law 2: the agent's bytes come back, whatever they were; and what is no secret stays as it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from tests.acceptance.conftest import Person, a_session
from tests.builders import Claude, a_uuid

PARENT = "aaaaaaaa-1111-4111-8111-111111111111"


def row(text: str, *, number: int, more: str = "") -> bytes:
    """A user's record written by hand, so that every character of it is ours."""
    head = f'{{"type":"user","sessionId":"s","cwd":"/p","uuid":"{a_uuid(number)}",'
    tail = f'"timestamp":"2026-01-31T12:00:0{number}.000Z","parentUuid":null{more}}}\n'
    return f'{head}"message":{{"role":"user","content":{text}}},{tail}'.encode(
        "utf-8", "surrogatepass"
    )


def test_A4_a_damaged_middle_keeps_every_valid_record(person: Person) -> None:
    session = a_session(person, "one", "two", "three", "four")
    rows = list(session.rows)
    data = b"".join([
        b"\xef\xbb\xbf", rows[0], b"\0" * 700, rows[1], b"\n", rows[2].rstrip(b"\n"), rows[3],
        rows[4][:-1] + b"\r\n", b'{"type":"user","torn', b"\n", rows[5],
        rows[6].replace(b'"four"', '"fo\u2028ur"'.encode()), rows[7], b"\0" * 300,
    ])  # fmt: skip
    person.writes(data)
    done = person.types("save")
    assert done.code == 0, done
    assert "3 damaged records kept byte for byte: record 2, " in done.out, done.out
    assert person.raw() == data
    said = [message.text for message in person.repository.session("HEAD").messages]
    assert said == [
        "one", "Answer to one", "two", "Answer to two", "three", "Answer to three",
        "fo\u2028ur", "Answer to four",
    ]  # fmt: skip
    counts = person.types("show", "--json").json["session"]["counts"]
    assert counts["damaged"] >= 2
    assert [p.kind for p in person.repository.fsck()] == []
    person.is_sound()


def test_A3_a_torn_tail_is_reported_and_completed(person: Person) -> None:
    session = a_session(person, "one", "two", "three")
    rows = session.rows
    person.writes(b"".join(rows[:2]) + rows[2][:50])
    saved = person.saves()
    assert (saved.new_records, saved.damaged, saved.damaged_at) == (3, 1, ("main:3",))
    person.writes(b"".join(rows[:5]))
    person.saves()
    assert person.raw() == b"".join(rows[:5])
    person.writes(session)
    assert person.saves().damaged == 0
    assert person.raw() == session.data
    said = [message.text for message in person.repository.session("HEAD").messages]
    assert said == ["one", "Answer to one", "two", "Answer to two", "three", "Answer to three"]


def test_A5_odd_spellings_come_back_exactly(person: Person) -> None:
    data = b"".join([
        row('"lone \\ud83d half, \\u00e4 \u00e4 \\/ slash"', number=1),
        row('"numbers"', number=2, more=',"x":1.10,"y":1E+2,"z":-0.0,"k":1,"k":2,"k" : 3 '),
        row('[{"type":"text","text":"pair \\ud83d\\ude00 and \\ude00"}]', number=3),
        row('"raw \ud83d half"', number=4),
    ])  # fmt: skip
    person.writes(data)
    assert person.types("save").code == 0
    assert person.raw() == data
    for argv in (("log",), ("show",), ("diff", "HEAD~1", "HEAD"), ("show", "HEAD:1"), ("export",)):
        done = person.types(*argv)
        assert done.code == 0, (argv, done)
        done.out.encode("utf-8")
    assert "\ufffd" in person.types("show", "HEAD:1").out
    made = person.repository.checkout("HEAD")
    written = Path(made.path).read_bytes()
    assert not re.search(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", written)
    for line in written.splitlines():
        json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8")
    assert person.raw("HEAD") == data, "a checkout changes nothing that is stored"


def harmless() -> dict[str, str]:
    """What looks like a secret and is none."""
    noise = hashlib.sha512(b"integrity").digest()
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + noise * 60).decode()
    return {
        "call id": "toolu_01" + "A1b2C3d4E5f6G7h8J9k0Lm",
        "uuid": a_uuid("harmless"),
        "git commit": hashlib.sha1(b"commit", usedforsecurity=False).hexdigest(),
        "integrity": "sha512-" + base64.b64encode(noise).decode(),
        "picture": picture,
        "data uri": "data:image/png;base64," + picture[:4000],
        "camel case": "getApplicationConfigurationProviderFactoryInstance",
        "empty": 'if (apiKey == "") { throw new Error("no apiKey") }',
        "docs": "Set ANTHROPIC_API_KEY=sk-ant-... in your shell (sk-ant-api03-...).",
        "placeholder": "export GITHUB_TOKEN=<your-token-here> # or ${GITHUB_TOKEN}",
        "url": "https://example.com/a/b?page=2&sort=created_at",
        "path": "/home/me/.cache/pip/wheels/3f/aa/1b/0123456789abcdef0123456789abcdef01234567",
        "digest": "sha256:" + hashlib.sha256(b"image").hexdigest(),
        "lockfile": 'checksum = "' + hashlib.sha256(b"crate").hexdigest() + '"',
    }


def test_A8_what_is_no_secret_stays_byte_for_byte(person: Person) -> None:
    words = harmless()
    session = Claude(cwd=str(person.project))
    session.prompt("look at these")
    session.think(
        "thinking", signature=base64.b64encode(hashlib.sha512(b"s").digest() * 5).decode()
    )
    for name, text in words.items():
        session.bash(f"cat {name.replace(' ', '-')}.txt", text)
    session.say("\n".join(words.values()))
    picture = {"type": "base64", "media_type": "image/png", "data": words["picture"]}
    session.prompt([{"type": "image", "source": picture}])
    session.say("seen")
    person.writes(session)
    saved = person.saves()
    assert [(finding.rule, finding.place) for finding in saved.findings] == []
    assert person.raw() == session.data
    made = person.repository.checkout("HEAD")
    written = Path(made.path).read_bytes()
    for name, text in words.items():
        assert json.dumps(text)[1:-1].encode() in written, name
