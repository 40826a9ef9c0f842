"""Damaged and wrong input: a sentence and the right exit code, or saved with the damage kept."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.conftest import Person, a_session
from tests.builders import Claude, claude_session
from tests.codex_builder import codex_session

_BUG = 3


def assert_sentence(done: object, code: int) -> None:
    """One sentence of what is wrong and, with it, what to do; never a traceback."""
    text = done.err  # type: ignore[attr-defined]
    assert done.code == code, done  # type: ignore[attr-defined]
    assert re.fullmatch(r"error: [^\n]+\n(  [^\n]+\n)*(hint: [^\n]+\n)?", text), text
    assert "Traceback" not in text


def assert_nothing_stored(person: Person) -> None:
    assert person.git("for-each-ref") == ""
    person.is_sound()
    assert person.types("list", "--json").json["sessions"] == []


REFUSED: dict[str, bytes] = {
    "empty file": b"",
    "only spaces": b"\n \n",
    "not a session": b"# A page\n\nwith some words\n",
    "other JSON lines": b'{"name": "x"}\n{"name": "y"}\n',
    "a JSON array": b"[1, 2, 3]\n",
    "binary": bytes(range(256)) * 64,
    "only NUL": b"\0" * 5000,
    "a picture": b"\x89PNG\r\n\x1a\n" + os.urandom(3000),
    "UTF-16": claude_session(1).decode().encode("utf-16"),
    "one torn line": b'{"type":"user","mess',
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_session_is_refused(person: Person, name: str) -> None:
    path = person.project / "given.jsonl"
    path.write_bytes(REFUSED[name])
    assert_sentence(person.types("import", str(path)), 16)
    assert_nothing_stored(person)
    done = person.types("import", str(path), "--format", "claude-code")
    assert done.code in (0, 16), done
    as_json = person.types("import", str(path), "--json")
    assert as_json.code == 16
    assert json.loads(as_json.err)["exit_code"] == 16


def test_a_missing_file_is_not_found(person: Person) -> None:
    assert_sentence(person.types("import", "nowhere.jsonl"), 12)


def test_an_empty_folder_holds_no_session(person: Person) -> None:
    (person.project / "folder").mkdir()
    assert_sentence(person.types("import", "folder"), 16)
    assert_nothing_stored(person)


def test_a_folder_gives_the_sessions_in_it_and_skips_the_rest(person: Person) -> None:
    folder = person.project / "folder"
    folder.mkdir()
    (folder / "good.jsonl").write_bytes(claude_session(2))
    (folder / "bad.jsonl").write_bytes(REFUSED["binary"])
    (folder / "page.md").write_bytes(REFUSED["not a session"])
    os.mkfifo(folder / "pipe.jsonl")
    done = person.types("import", "folder")
    assert done.code == 0, done
    assert len(person.repository.log("HEAD")) == 2


def test_a_pipe_is_refused_without_waiting(person: Person) -> None:
    os.mkfifo(person.project / "pipe.jsonl")
    assert_sentence(person.types("import", "pipe.jsonl"), 16)
    assert_sentence(person.types("import", "/dev/zero"), 16)
    for verb in ("scan", "redact"):
        done = person.types(verb, "/dev/null")
        assert done.code != _BUG, done


def test_a_file_whose_reading_fails_is_refused(person: Person) -> None:
    unreadable = Path("/proc/self/mem")
    if not unreadable.exists():
        pytest.skip("there is no file here that even its owner cannot read")
    assert_sentence(person.types("import", str(unreadable)), 16)
    assert_nothing_stored(person)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(person: Person) -> None:
    path = person.writes(a_session(person, "one"))
    path.chmod(0)
    assert_sentence(person.types("import", str(path)), 16)
    assert_nothing_stored(person)


def test_one_bad_session_hides_no_other(person: Person) -> None:
    """One source of `save --all` is gone, one a pipe, one rubbish, one good."""
    person.writes(a_session(person, "one", "two"))
    person.writes(b"\0" * 100, "22222222-2222-4333-8444-555555555555")
    person.writes(b"", "33333333-2222-4333-8444-555555555555")
    os.mkfifo(person.path("44444444-2222-4333-8444-555555555555"))
    dangling = person.path("55555555-2222-4333-8444-555555555555")
    dangling.symlink_to("nowhere")
    done = person.types("save", "--all")
    assert done.code == 0, done
    assert "Traceback" not in done.out + done.err
    assert done.out.count("could not be read") == 2, done
    assert [v.subject for v in person.repository.log("HEAD")] == ["two", "one"]
    person.is_sound()


def rows_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def glued(data: bytes) -> bytes:
    rows = rows_of(data)
    return b"".join([*rows[:2], rows[2].rstrip(b"\n"), *rows[3:]])


def duplicate(data: bytes) -> bytes:
    rows = rows_of(data)
    return b"".join([*rows[:3], rows[2], *rows[3:]])


def changed_row(number: int, change: Callable[[dict[str, object]], None]) -> Callable[..., bytes]:
    def damage(data: bytes) -> bytes:
        rows = rows_of(data)
        value = json.loads(rows[number])
        change(value)
        rows[number] = json.dumps(value).encode() + b"\n"
        return b"".join(rows)

    return damage


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "torn": lambda data: data[:-40],
    "a NUL run": lambda data: data.replace(b"\n", b"\n" + b"\0" * 4096, 1),
    "NULs at the end": lambda data: data + b"\0" * 512,
    "glued": glued,
    "blank lines": lambda data: data.replace(b"\n", b"\n\n"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "U+2028": lambda data: data.replace(b"question 1", "ques\u2028ti\u2029on\u0085 1".encode()),
    "half surrogate": lambda data: data.replace(b"question 1", b"question \\ud83d 1"),
    "raw half surrogate": lambda data: data.replace(b"question 1", b"question \xed\xa0\xbd 1"),
    "invalid UTF-8": lambda data: data.replace(b"question 1", b"qu\xff\xfe\xc0\x80estion 1"),
    "duplicate ids": duplicate,
    "dangling parent": changed_row(4, lambda row: row.update(parentUuid="gone-away")),
    "its own parent": changed_row(4, lambda row: row.update(parentUuid=row.get("uuid"))),
    "a cycle": lambda data: cycle(data),
    "several session ids": lambda data: data + claude_session(1, session_id="other-session"),
    "an unknown kind": lambda data: b'{"type":"from-the-future","x":[1]}\n' + data,
    "an unknown version": lambda data: data.replace(b'"2.1.332"', b'"99.0.0"'),
    "rubbish between": lambda data: data.replace(b"\n", b"\n}{ nonsense\n", 1),
    "deep nesting": lambda data: data + b'{"type":"user","x":' + b"[" * 20_000 + b"\n",
    "a number out of range": lambda data: data.replace(
        b'"input_tokens":100', b'"input_tokens":1e999'
    ),
    "wrong types": lambda data: (
        data + b'{"type":["user"],"message":7,"uuid":{},"timestamp":[],"sessionId":5}\n'
    ),
}


def cycle(data: bytes) -> bytes:
    """The first record's parent is the last one."""
    rows = rows_of(data)
    last = next(json.loads(row) for row in reversed(rows) if b'"uuid"' in row)
    return changed_row(0, lambda row: row.update(parentUuid=last["uuid"]))(data)


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_kept_and_no_good_record_is_lost(person: Person, name: str) -> None:
    data = DAMAGED[name](claude_session(3, cwd=str(person.project)))
    person.writes(data)
    assert_survives(person, data, "question 2")


CODEX_DAMAGED = [
    "torn", "a NUL run", "NULs at the end", "glued", "blank lines", "BOM", "CRLF", "U+2028",
    "half surrogate", "raw half surrogate", "invalid UTF-8", "duplicate ids", "rubbish between",
    "deep nesting", "an unknown kind", "wrong types",
]  # fmt: skip


@pytest.mark.parametrize("name", CODEX_DAMAGED)
def test_the_same_of_codex(person: Person, name: str) -> None:
    data = DAMAGED[name](codex_session(3))
    path = person.project / "rollout-2026-11-29T19-12-39-01a228b9-437c-7591-8401-a4e7acb3ea4f.jsonl"
    path.write_bytes(data)
    assert person.types("import", str(path)).code == 0
    assert_survives(person, data, "question 2", str(path))


def assert_survives(person: Person, data: bytes, wanted: str, path: str = "") -> None:
    """Saved byte for byte; every verb that looks at it answers; the store is sound."""
    saving = ("import", path) if path else ("save",)
    done = person.types(*saving)
    assert done.code == 0, done
    assert "Traceback" not in done.err
    assert person.raw() == data
    shown = person.types("show", "HEAD")
    assert shown.code == 0, shown
    assert wanted in shown.out
    for argv in (("log",), ("diff",), ("status",), ("show", "--json"), ("export",), ("fsck",)):
        looked = person.types(*argv)
        assert looked.code == 0, (argv, looked)
    assert person.types(*saving).out.startswith("Nothing to save")
    made = person.types("checkout", "HEAD", "--json", "--project", str(person.project))
    assert made.code == 0, made
    written = Path(made.json["checkout"]["path"]).read_bytes()
    assert written.endswith(b"\n")
    for line in written.splitlines():
        text = json.dumps(json.loads(line), ensure_ascii=False)
        text.encode("utf-8")
    person.is_sound()


def test_damaged_records_are_counted_and_named(person: Person) -> None:
    data = DAMAGED["rubbish between"](claude_session(2, cwd=str(person.project)))
    person.writes(data)
    saved = person.saves()
    assert saved.damaged == 1
    assert "damaged" in person.types("show", "HEAD").out
    assert person.types("show", "--json").json["session"]["counts"]["damaged"] == 1


def test_records_of_another_session_are_counted(person: Person) -> None:
    other = Claude("99999999-2222-4333-8444-555555555555", cwd=str(person.project))
    other.turn("from elsewhere")
    person.writes(a_session(person, "one").data + other.data)
    assert person.saves().foreign > 0


def test_a_session_of_metadata_alone_is_no_traceback(person: Person) -> None:
    data = Claude(cwd=str(person.project)).row(type="custom-title", customTitle="only a title")
    person.writes(data)
    done = person.types("save")
    assert done.code in (0, 16), done
    assert "Traceback" not in done.err
    person.is_sound()


def test_a_newer_generic_form_is_refused_untouched(person: Person) -> None:
    path = person.project / "new.jsonl"
    data = b'{"format":"gitsession-generic 7","session_metadata":{"session_id":"s"}}\n'
    path.write_bytes(data)
    assert_sentence(person.types("import", str(path)), 17)
    assert path.read_bytes() == data
    assert_nothing_stored(person)
