"""Fields that must stay byte-exact, and that they are no hiding place."""

from __future__ import annotations

import base64
import json

import pytest

from gitsession.redaction import Redactor
from tests.redaction.made import Made, line, session

MADE = Made(31)
OPAQUE = base64.b64encode(b"\x12\x9b" + bytes(range(256)) * 3).decode()


def redacted(record: object) -> object:
    data = Redactor(b"k" * 32).redact(session([line(record)])).session.stream().records[0].data
    return json.loads(data)


EXACT = [
    {"message": {"content": [{"type": "thinking", "thinking": "hm", "signature": OPAQUE}]}},
    {"message": {"content": [{"type": "redacted_thinking", "data": OPAQUE}]}},
    {"payload": {"type": "reasoning", "encrypted_content": "gAAAAA" + MADE.text(400)}},
    {"parts": [{"thoughtSignature": OPAQUE}, {"thinkingSignature": OPAQUE}]},
    {"data": {"reasoningOpaque": OPAQUE}},
    {"event": {"part": {"type": "think", "think": "hm", "encrypted": OPAQUE}}},
    {"source": {"type": "base64", "media_type": "image/png", "data": OPAQUE}},
    {"image_url": "data:image/png;base64," + OPAQUE},
    {"uuid": "0199812e-64f0-7f73-91fc-095dda01c36e", "requestId": "req_011C" + MADE.text(20)},
    {"message": {"id": "msg_01" + MADE.text(22), "content": [{"id": "toolu_01" + MADE.text(22)}]}},
    {"snapshot": {"hash": MADE.hex(64)}, "commit_hash": MADE.hex(40)},
]


@pytest.mark.parametrize("record", EXACT, ids=lambda record: next(iter(record)))
def test_A8_exact_fields_stay(record: object) -> None:
    assert redacted(record) == record


@pytest.mark.parametrize("name", ["signature", "encrypted_content", "uuid", "id", "requestId"])
def test_exact_fields_hide_no_vendor_token(name: str) -> None:
    for rule, token in MADE.vendor_tokens().items():
        if rule not in ("jwt", "huggingface-token"):
            assert token not in str(redacted({"type": "x", name: token})), (rule, name)


def test_a_random_run_is_not_taken_for_a_token_by_chance() -> None:
    chance = OPAQUE[:200] + "r8" + "_" + MADE.text(36) + OPAQUE[:100]
    record = {"message": {"content": [{"type": "thinking", "signature": chance}]}}
    assert redacted(record) == record


def test_ids_in_what_a_tool_returns_are_read_like_any_text() -> None:
    token = MADE.token()
    record = {"toolUseResult": {"id": f"API_KEY={token}"}}
    assert token not in str(redacted(record))


def test_a_learned_value_does_not_break_an_id() -> None:
    identity = "0199812e-64f0-7f73-91fc-095dda01c36e"
    record = {"sessionId": identity, "message": {"content": f"API_TOKEN={identity}"}}
    made = redacted(record)
    assert made["sessionId"] == identity  # type: ignore[index]
    assert identity not in str(made["message"])  # type: ignore[index]


def test_a_token_behind_an_equals_sign_in_an_identifier_is_masked() -> None:
    """A damaged line runs two members together; base64 has its equals signs at its end alone."""
    token = "gh" + "p_" + "Ab3dEf6hIj" * 3 + "Kl2mNo"
    made = redacted({"leafUuid": f"490df8eb-de84-4d3d-86dcH_TOKEN={token}"})
    assert token not in json.dumps(made)
