"""A giant string is scanned in windows: what stands over a border is found, and the record comes
out as if it had been read whole. The sizes are made small here; everything else is as it is."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gitsession import giants
from gitsession.redaction import Redactor, runs, windows
from tests.redaction.made import Made, line, session, tool_result

KEY = b"k" * 32
MADE = Made(77)
EDGE = 2048
WORDS = ["the", "parser", "reads", "a", "record", "and", "keeps", "缓存", "returns", "é", "😀"]
SECRETS = {
    "vendor": f" {MADE.github()} ",
    "assigned": f'\nexport DB_PASSWORD="{MADE.password()}"\n',
    "url": f" {MADE.url()[0]} ",
    "jwt": f"\n{MADE.jwt()}\n",
    "pem": f"\n{MADE.pem()}\n",
    "inner json": json.dumps({"api_key": MADE.token(), "note": "käse\n"}),
}


@contextmanager
def small() -> Iterator[None]:
    sizes = {"LINE": 20_000, "STRING": 10_000, "_KEPT": 3000, "PIECE": 8192, "SHORTEST_PIECE": 3000}
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(giants, name, size)
        patch.setattr(windows, "EDGE", EDGE)
        yield


def prose(size: int, seed: int = 5) -> str:
    chance = random.Random(seed)
    text = ""
    while len(text) < size:
        text += chance.choice(WORDS) + chance.choice(" \n  \t")
    return text[:size]


def redact(*records: bytes) -> tuple[bytes, ...]:
    redacted = Redactor(KEY).redact(session(list(records)))
    return tuple(record.data for record in redacted.session.stream().records)


def as_record(text: str, ascii_only: bool) -> bytes:
    row = json.loads(tool_result(text))
    return json.dumps({**row, "cwd": "/home/x"}, ensure_ascii=ascii_only).encode() + b"\n"


def before_border(record: bytes) -> str:
    """What of its giant string stands before the first border."""
    made = giants.outline(record)
    assert made is not None
    giant = made.giants[0]
    start, end = next(giants.pieces(record, giant.start, giant.end))
    return giants.plain(record[start:end])


@pytest.mark.parametrize("kind", sorted(SECRETS))
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_secret_at_every_place_around_a_border(kind: str, ascii_only: bool) -> None:
    secret, text = SECRETS[kind], prose(30_000)
    with small():
        at = len(before_border(as_record(text, ascii_only)))
    for offset in range(-len(secret) - 3, 4, max(1, len(secret) // 60)):
        record = as_record(text[: at + offset] + secret + text[at + offset :], ascii_only)
        whole = redact(record)
        assert whole[0] != record and json.loads(whole[0])
        with small():
            assert redact(record) == whole, offset


def test_a_secret_at_the_start_the_end_and_in_every_piece() -> None:
    secrets = [MADE.aws_id() for _ in range(12)]
    text = "".join(f"{secret} {prose(4000, n)}\n" for n, secret in enumerate(secrets))
    record = tool_result(text + secrets[0], toolUseResult={"stdout": text, "key": MADE.github()})
    with small():
        redactor = Redactor(KEY)
        redacted = redactor.redact(session([record], start=1000))
    assert redacted.session.stream().records[0].data == redact(record)[0]
    for finding in redacted.findings:  # they say where it stood, and by what it can be known again
        place = finding.offset - 1000
        assert redactor.matches(record[place : place + finding.length], finding.mac)
    assert len(redacted.findings) == 26
    assert {finding.place for finding in redacted.findings} == {
        "main:0 message.content[0].content", "main:0 toolUseResult.stdout",
        "main:0 toolUseResult.key",
    }  # fmt: skip


def test_records_around_a_giant_one() -> None:
    """A value learned in it is masked elsewhere, and a token that its end cuts goes on below."""
    learned, token = MADE.password(), MADE.github()
    giant = tool_result(f"{prose(30_000)}\nDB_PASSWORD={learned}\n{prose(20_000)} {token[:22]}")
    records = (tool_result(f"it is {learned}"), giant, tool_result(f"{token[22:]} and more"))
    with small():
        made = redact(*records)
    assert made == redact(*records)
    assert learned.encode() not in b"".join(made) and token[22:].encode() not in made[2]
    begun = (tool_result(f"see {token[:22]}"), tool_result(f"{token[22:]} {prose(30_000)}"))
    with small():
        assert redact(*begun) == redact(*begun)
        assert token[22:].encode() not in redact(*begun)[1]


@pytest.mark.parametrize("shift", range(4))
def test_base64_is_entered_in_step(shift: int) -> None:
    """A run of base64 over many windows is looked into, wherever it begins."""
    secret = MADE.aws_id()
    for at in (100, 20_000, 24_000, 39_000):
        text = prose(40_000).encode("ascii", "ignore")
        inside = base64.b64encode(text[:at] + f" {secret} ".encode() + text[at:]).decode()
        text64 = "x" * shift + " " + "." * shift + inside
        with small():
            (made,) = redact(tool_result(text64))
        left = json.loads(made)["message"]["content"][0]["content"]
        assert "__REDACTED_encoded_" in left and len(left) > len(text64) // 2
        assert b64_of(secret) not in left


def test_base64_is_entered_where_it_is_no_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = MADE.aws_id()
    monkeypatch.setattr(runs, "_ENTERED", 1600)
    part = "\n".join(["缓存返回一个值" * 60, " ".join(WORDS[:7] * 20), secret]).encode()
    text = base64.b64encode(b"begin " * 90 + part * 30).decode()
    with small():
        (made,) = redact(tool_result(text))
    left = json.loads(made)["message"]["content"][0]["content"]
    assert re.fullmatch("__REDACTED_encoded_[0-9a-f]{8}__", left)


def b64_of(secret: str) -> str:
    """What is sure to stand in base64 of a text with this in it, at one of three places."""
    return base64.b64encode(secret.encode() * 3).decode()[8:20]


def test_gzip_in_base64_cannot_be_entered_and_is_masked() -> None:
    chance = random.Random(3)
    packed = base64.b64encode(gzip.compress(chance.randbytes(30_000), mtime=0)).decode()
    text = f"{prose(4000)}\n{packed}\n{prose(12_000, 6)}"
    with small():
        (made,) = redact(tool_result(text))
    left = json.loads(made)["message"]["content"][0]["content"]
    assert "__REDACTED_unscanned_" in left
    assert not any(packed[at : at + 40] in left for at in range(0, len(packed), 20))
    assert left.startswith(prose(4000)) and left.endswith(prose(12_000, 6))


def test_an_image_stays_as_it_is() -> None:
    data = base64.b64encode(random.Random(4).randbytes(40_000)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    record = line({"message": {"content": [{"type": "image", "source": source}]}})
    with small():
        assert redact(record) == (record,)


def test_a_torn_record() -> None:
    """It is no JSON: the text of it is scanned in windows too."""
    secrets = [MADE.aws_id() for _ in range(9)]
    text = "".join(f"{secret} {prose(4000, n)}\n" for n, secret in enumerate(secrets))
    record = tool_result(text)[:-40]
    whole = redact(record)
    with small():
        assert redact(record) == whole
    assert whole[0] != record and not any(secret.encode() in whole[0] for secret in secrets)


def test_a_text_that_is_no_record_and_a_file() -> None:
    secret = MADE.github()
    text = f"{prose(20_000)} {secret} {prose(9000)}"
    with small():
        redactor = Redactor(KEY)
        assert [finding.length for finding in redactor.findings_in(text)] == [len(secret)]
        made = redactor.redact(session([], files={"notes.txt": text.encode()}))
        assert redactor.clean(text) == text.replace(secret, made.findings[0].placeholder)
    content = made.session.files[0].content or b""
    assert content.decode() == text.replace(secret, made.findings[0].placeholder)


def test_what_is_no_good_json_inside() -> None:
    """Half surrogates, invalid escapes, invalid UTF-8 in a giant string: nothing is lost."""
    secret = MADE.aws_id().encode()
    for bad in (b"\\ud83d", b"\\q\\uZZZZ", b"\xff\xfe\xc3", b"\\ude00\\ud83d", b"\t\x01"):
        inside = (prose(3000).replace("\n", " ").replace("\t", " ").encode() + bad + b" ") * 9
        record = b'{"type":"user","text":"' + inside + secret + b" " + inside + b'"}\n'
        with small():
            (made,) = redact(record)
        assert secret not in made
        before, after = record.split(secret)
        assert made.startswith(before) and made.endswith(after)
