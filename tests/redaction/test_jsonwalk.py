"""JSON lines: only the secret changes, every line parses to the same shape, nothing crashes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.redaction import Redactor
from tests.redaction.made import Made, line, session

MADE = Made(21)
TOKEN, PASSWORD = MADE.github(), MADE.password()
PLACEHOLDER = re.compile(rb"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8}__")


def redact_lines(*records: bytes) -> list[bytes]:
    redacted = Redactor(b"k" * 32).redact(session(records)).session
    return [record.data for record in redacted.stream().records]


TEXTS = st.text(max_size=30) | st.sampled_from(
    [f"x {TOKEN} y", f"DB_PASSWORD={PASSWORD}\nnext", f'"{TOKEN}"', f"é\U0001f600{TOKEN}\u2028",
     f"\x1b[31m{TOKEN[:9]}\x1b[0m{TOKEN[9:]}", f"\\{TOKEN}\\", "\ud83d half", TOKEN]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value) if isinstance(value, str) else value


@settings(max_examples=300, deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]), st.sampled_from([b"\n", b"\r\n", b""]))
def test_only_the_secret_changes(
    value: object, ascii_only: bool, indent: int | None, end: bytes
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    data = text.encode("utf-8", "surrogatepass") + end
    [masked] = redact_lines(data)
    assert TOKEN.encode() not in masked and PASSWORD.encode() not in masked
    assert shape(json.loads(masked.decode("utf-8", "surrogatepass"))) == shape(value)
    # What is left between the placeholders stands in the source in that order.
    at = 0
    for kept in PLACEHOLDER.split(masked):
        at = data.index(kept, at) + len(kept)
    assert masked.endswith(end)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 120))
def test_A1_torn_and_damaged_lines_never_crash(noise: bytes, cut: int) -> None:
    good = line({"type": "user", "message": {"content": f"API_KEY={TOKEN} and {PASSWORD}"}})
    masked = redact_lines(good, good[:cut] + noise, b"\x00" * 30 + good, good)
    assert masked[0] == masked[3]
    assert TOKEN.encode() not in b"".join(masked)


def test_lines_without_a_secret_are_the_same_object() -> None:
    odd = [
        b'{"a" : 1.10, "a":2,\t"b":"\\u00e9\\/\\ud83d"}\r\n',
        b'\xef\xbb\xbf{"x":"\xff\xfe"}\n',
        b'{"a":1}{"b":2}\n',
        b"[" * 5000 + b"\n",
        b'{"n":' + b"9" * 5000 + b"}\n",
        b"\x00" * 4096,
        b'{"torn": "half',
    ]
    assert redact_lines(*odd) == odd


def test_glued_records_are_read_one_by_one() -> None:
    one, two = {"id": 1, "k": TOKEN}, {"id": 2, "signature": MADE.text(90), "k": PASSWORD}
    glued = json.dumps(one) + json.dumps(two) + " tail DB_PASSWORD=" + PASSWORD
    [masked] = redact_lines(glued.encode())
    first, at = json.JSONDecoder().raw_decode(masked.decode())
    second, end = json.JSONDecoder().raw_decode(masked.decode(), at)
    assert list(first) == ["id", "k"] and second["signature"] == two["signature"]
    assert PASSWORD not in masked.decode() and masked.decode()[end:].startswith(" tail DB_PASS")


def test_keys_stay_apart() -> None:
    other = Made(22).github()
    record = {f"a {TOKEN}": 1, f"a {other}": 2, "plain": 3}
    [masked] = redact_lines(line(record))
    value = json.loads(masked)
    assert list(value.values()) == [1, 2, 3] and len(value) == 3
    assert TOKEN not in str(value) and other not in str(value)


def test_keys_that_would_clash_get_a_number() -> None:
    clean = "__REDACTED_github-token_00000000__"
    [name] = json.loads(redact_lines(line({TOKEN: 1}))[0])
    assert name != clean
    record = b'{"%s": 1, "%s": 2}\n' % (name.encode(), TOKEN.encode())
    value = json.loads(redact_lines(record)[0])
    assert list(value) == [name, name + "2"]


def test_text_of_the_same_secret_in_escapes_is_one_secret() -> None:
    escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
    masked = redact_lines(b'{"a":"%s"}\n' % escaped.encode(), line({"a": TOKEN}))
    assert json.loads(masked[0]) == json.loads(masked[1])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_whole_json_file_keeps_its_layout(indent: int | None) -> None:
    value = {"messages": [{"role": "user", "content": f"use {TOKEN}"}, {"n": 1}]}
    text = json.dumps(value, indent=indent).encode()
    [masked] = redact_lines(text)
    assert PLACEHOLDER.sub(TOKEN.encode(), masked) == text


PIN = "839201839184"
"""A number that the user said is a secret."""


def masked_numbers(*records: bytes) -> list[bytes]:
    redactor = Redactor(b"k" * 32, known=lambda: [(PIN.encode(), "secret")])
    made = session(records)
    redactor.learn(made)
    return [record.data for record in redactor.redact(made).session.stream().records]


@pytest.mark.parametrize(
    "text",
    [
        "{}", "-{}", "{}.5", "{}e3", " {} ", '{{"a": {}}}', "[{}]", "[1, {},2]", "[[-{}\n]]",
        '{{"a": {{"b": [null, {}]}}, "c": "{} stays a string"}}', '{{"n": {}, "of": {} }}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_masked_number_is_a_string(text: str, end: str) -> None:
    record = text.replace("{}", PIN).replace("{{", "{").replace("}}", "}") + end
    [masked] = masked_numbers(record.encode())
    assert PIN.encode() not in masked

    def same(before: object, after: object) -> None:
        if isinstance(before, (int, float)) and str(PIN) in f"{before:f}":
            assert isinstance(after, str) and PLACEHOLDER.fullmatch(after.encode())
        elif isinstance(before, dict):
            assert isinstance(after, dict) and list(before) == list(after)
            for name in before:
                same(before[name], after[name])
        elif isinstance(before, list):
            assert isinstance(after, list) and len(before) == len(after)
            for one, other in zip(before, after, strict=True):
                same(one, other)
        else:
            assert type(before) is type(after)

    same(json.loads(record), json.loads(masked))


def test_a_number_that_only_holds_the_digits_of_a_secret_stays() -> None:
    record = b'{"a": 1%s, "b": [%s0]}\n' % (PIN.encode(), PIN.encode())
    assert masked_numbers(record) == [record]


def test_prose_with_a_number_gets_no_quotes() -> None:
    [masked] = masked_numbers(b"the pin: %s, and so on\n" % PIN.encode())
    assert PLACEHOLDER.sub(b"-", masked) == b"the pin: -, and so on\n"


def test_a_number_longer_than_python_reads_does_not_make_a_record_text() -> None:
    """What must stay byte-exact in a document still does."""
    sealed = b'{"n": %s, "thinkingSignature": "DB_PASSWORD=%s"}\n'
    [kept] = redact_lines(sealed % (b"9" * 5000, PASSWORD.encode()))
    assert kept == sealed % (b"9" * 5000, PASSWORD.encode())


def test_a_number_in_json_that_is_nested_too_deep_gets_quotes() -> None:
    deep = b"[" * 3000 + b"1, %s" % PIN.encode() + b"]" * 3000 + b"\n"
    [masked] = masked_numbers(deep)
    assert PLACEHOLDER.sub(b"", masked) == deep.replace(PIN.encode(), b'""')
