"""Learned and recalled values, and tokens cut by a border."""

from __future__ import annotations

from gitsession.model.finding import Finding
from gitsession.redaction import Redactor, redact_all
from gitsession.redaction.placeholders import Placeholders
from tests.redaction.made import Made, line, session, tool_result

KEY = b"k" * 32
MADE = Made(51)


def texts_of(redactor: Redactor, *records: bytes, start: int = 0) -> str:
    made = redactor.redact(session(records, start=start)).session
    return b"".join(record.data for record in made.stream().records).decode()


def test_a_bare_repeat_before_the_name_is_masked_alike() -> None:
    value = MADE.token()
    records = [tool_result(f"does {value} look right?"), tool_result(f"API_KEY={value}")]
    masked = texts_of(Redactor(KEY), *records)
    assert value not in masked
    name = masked[masked.index("__REDACTED_") :].split("__ ")[0][:30]
    assert masked.count(name) == 2


def test_learning_the_whole_source_first() -> None:
    value = MADE.token()
    early, late = tool_result(f"bare {value}"), tool_result(f"API_KEY={value}")
    redactor = Redactor(KEY)
    assert value in texts_of(Redactor(KEY), early)
    redactor.learn(session([early]))
    redactor.learn(session([late]))
    assert value not in texts_of(redactor, early)
    assert value not in texts_of(redactor, late)


def test_a_value_found_inside_of_base64_is_learned_too() -> None:
    import base64

    value = MADE.token()
    packed = base64.b64encode(f"NODE_ENV=production\nAPI_KEY={value}\n".encode()).decode()
    masked = texts_of(Redactor(KEY), tool_result(packed), tool_result(f"it was {value}"))
    assert value not in masked


def test_values_with_quotes_and_backslashes_are_found_in_json() -> None:
    value = 'Zx9"' + MADE.text(6) + "\\" + MADE.text(6)
    redactor = Redactor(KEY)
    redactor.learn(session([line({"password": value})]))
    assert MADE and value not in texts_of(redactor, line({"content": f"bare {value} again"}))


def test_recall_reads_the_value_from_the_source() -> None:
    value = MADE.token()
    record = tool_result(f'é "x" API_KEY={value}')
    first = Redactor(KEY).redact(session([record], start=100))
    source = b"#" * 100 + record
    [finding] = [found for found in first.findings if found.offset >= 0]
    assert source[finding.offset : finding.offset + finding.length].decode() == value

    later = Redactor(KEY)
    later.recall(first.findings, lambda found: source[found.offset : found.offset + found.length])
    masked = texts_of(later, tool_result(f"bare {value}"), start=len(source))
    assert value not in masked and finding.placeholder in masked


def test_recall_by_length_and_hash_where_the_source_has_changed() -> None:
    value = MADE.token()
    first = Redactor(KEY).redact(session([tool_result(f"API_KEY={value}")]))
    [finding] = first.findings
    later = Redactor(KEY)
    later.recall(first.findings, lambda found: b"something else"[: found.length])
    for text in (f"bare {value}", f"bare {value}.", f"x={value}", f"({value})", f'"{value}"'):
        masked = texts_of(later, tool_result(text))
        assert value not in masked and finding.placeholder in masked
    other = MADE.text(len(value))
    assert other in texts_of(later, tool_result(f"bare {other}"))


def test_a_finding_never_holds_the_value() -> None:
    value = MADE.token()
    for found in Redactor(KEY).redact(session([tool_result(f"API_KEY={value}")])).findings:
        assert value not in repr(found)
        assert found.mac == Placeholders(KEY, frozenset()).mac(value.encode())


def test_recall_of_nothing_readable_is_harmless() -> None:
    redactor = Redactor(KEY)
    redactor.recall([Finding("secret", "", "__REDACTED_secret_00000000__")], lambda _: None)
    assert texts_of(redactor, tool_result("plain")) == tool_result("plain").decode()


def test_a_token_cut_by_two_tool_outputs() -> None:
    for token in MADE.vendor_tokens().values():
        cut = len(token) // 2
        records = [
            tool_result(f"$ head -c {cut} token\n{token[:cut]}\n"),
            line({"type": "assistant", "message": {"content": [{"type": "text", "text": "so"}]}}),
            tool_result(f"{token[cut:]}\n"),
        ]
        masked = texts_of(Redactor(KEY), *records)
        assert token[:cut] not in masked and token[cut:] not in masked


def test_a_token_cut_by_two_turns_that_were_learned_together() -> None:
    token = MADE.github()
    first, second = tool_result(f"x {token[:20]}"), tool_result(token[20:])
    redactor = Redactor(KEY)
    redactor.learn(session([first]))
    redactor.learn(session([second]))
    assert token[:20] not in texts_of(redactor, first)
    assert token[20:] not in texts_of(redactor, second)


def test_a_token_cut_by_two_saves() -> None:
    token = MADE.github()
    first, second = tool_result(f"x {token[:20]}"), tool_result(token[20:])
    redactor = Redactor(KEY)
    redactor.precede("main", [first])
    assert token[20:] not in texts_of(redactor, second)


def test_neighbours_that_do_not_belong_together_stay() -> None:
    token = MADE.github()
    for after in ("Please look at it", "GITHUB", "3000 items", "then", "README.md"):
        assert redact_all([f"it is {token}", after])[1] == after


def test_redact_all_learns_over_the_conversation() -> None:
    value = MADE.token()
    masked = redact_all([f"is {value} right?", f"TOKEN={value}", f'["deploy", "{value}"]'])
    assert value not in "".join(masked)
