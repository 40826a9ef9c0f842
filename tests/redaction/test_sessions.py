"""Every place of a session is walked; what is written later holds no secret."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gitsession
from gitsession.model.finding import _PROOF, Clean, Redacted
from gitsession.model.record import File, Record, Stream
from gitsession.model.session import Session, State, Todo
from gitsession.redaction import Redactor
from gitsession.redaction.withheld import is_secret_path
from tests.redaction.made import Made, everything, line, session, tool_result

KEY = b"k" * 32
MADE = Made(61)


def full_session(secret: str) -> Session:
    made = session(
        [tool_result(f"see {secret}"), line({secret: {"cwd": f"/tmp/{secret}"}})],
        sidecars={
            f"tool-results/{secret}.txt": f"out: {secret}".encode(),
            "agents/a.jsonl": line({"text": f"x {secret}"}) * 2,
            "blob.bin": b"\x7fELF\x00\x01" + secret.encode() + b"\x00\xff",
        },
        files={f"src/{secret}.py": f"key = '{secret}'".encode()},
        prompt=f"use {secret}",
        title=f"about {secret}",
        cwd=f"/home/{secret}",
        git_branch=f"feat/{secret}",
    )
    return made._replace(
        streams=(*made.streams, Stream(f"subagents/{secret}", (Record(tool_result(secret)),))),
        state=State(
            todos=(Todo(f"rotate {secret}", "pending"),),
            last_command=f"curl -H 'X: {secret}'",
            output_snippet=secret,
            memory=(secret,),
            markers=({"summary": secret, secret: 1},),
            analysis={"a": [secret]},
        ),
        carry={"last": {"text": secret}},
        instructions=(File("CLAUDE.md", f"token {secret}".encode()),),
    )


@pytest.mark.parametrize("rule", sorted(MADE.vendor_tokens()))
def test_A7_no_place_of_a_session_keeps_a_secret(rule: str) -> None:
    secret = MADE.vendor_tokens()[rule]
    redacted = Redactor(KEY).redact(full_session(secret))
    assert secret not in everything(redacted.session).decode()
    assert secret not in repr(redacted.findings)
    places = " ".join(found.place for found in redacted.findings)
    for part in ("main:0", "main:1", "tool-results", "src/", "prompt", "title", "cwd", "CLAUDE"):
        assert part in places


def test_redaction_is_idempotent_over_a_whole_session() -> None:
    once = Redactor(KEY).redact(full_session(MADE.github()))
    again = Redactor(KEY).redact(once.session)
    assert again.session == once.session and not again.findings


def test_a_session_without_secrets_is_left_as_it_is() -> None:
    plain = full_session("plain-words")
    redacted = Redactor(KEY).redact(plain)
    assert redacted.session == plain and not redacted.findings


def test_offsets_are_those_of_the_source() -> None:
    secret = MADE.token()
    records = [
        tool_result(f"é\u2028 API_KEY={secret}\n"),
        b"torn API_KEY=" + secret.encode() + b" {",
        line({"a": 1}) + line({"k": f"API_KEY={secret}"}),
    ]
    redacted = Redactor(KEY).redact(session(records, start=1000, first=7))
    source = b"#" * 1000 + b"".join(records)
    found = [one for one in redacted.findings if one.stream == "main"]
    assert len(found) == 3 and {one.place.split()[0] for one in found} == {
        "main:7", "main:8", "main:9",
    }  # fmt: skip
    for one in found:
        assert source[one.offset : one.offset + one.length].decode() == secret


def test_withheld_files_give_their_values_away_nowhere() -> None:
    value, plain = MADE.text(16) + "9", "production"
    env = f"# x\nexport ACME='{value}'\nNODE_ENV={plain}\nHOST=db.internal:5432\n".encode()
    made = session(
        [tool_result(f"the answer is {value} in {plain} on db.internal:5432")],
        files={"app/.env": env, "app/.env.example": b"ACME=\n"},
    )
    redacted = Redactor(KEY).redact(made)
    kept = {file.path: file for file in redacted.session.files}
    assert (kept["app/.env"].content, kept["app/.env"].reason) == (None, "secret")
    assert kept["app/.env"].size == len(env)
    assert kept["app/.env.example"].content == b"ACME=\n"
    text = redacted.session.stream().records[0].data.decode()
    assert value not in text and plain in text and "db.internal:5432" in text


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "x/server.pem", "~/.ssh/id_ed25519", "k.p12", "p.kdbx", "credentials",
     ".aws/credentials", "credentials.json", "C:\\u\\auth.json", ".netrc", ".npmrc", ".pgpass",
     "kubeconfig", "/home/u/.kube/config"],
)  # fmt: skip
def test_secret_paths(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    ["env.py", ".env.example", "id_ed25519.pub", "src/credentials_view.py", "config", "a.md"],
)
def test_plain_paths(path: str) -> None:
    assert not is_secret_path(path)


def test_clean_texts_and_what_is_noted_about_them() -> None:
    redactor, token = Redactor(KEY), MADE.github()
    text = redactor.clean(f"feat/{token}", "branch name")
    assert isinstance(text, Clean) and token not in text and text.startswith("feat/__REDACTED_")
    assert [found.place for found in redactor.noted] == ["branch name"]
    assert redactor.clean("feat/plain\udc80") == "feat/plain\udc80"


def test_findings_in_reads_json_lines_and_texts() -> None:
    redactor, token = Redactor(KEY), MADE.token()
    text = "é " + "x\n" * 3 + f"API_KEY={token}"
    [found] = redactor.findings_in(text)
    assert text.encode()[found.offset : found.offset + found.length].decode() == token
    lines = line({"signature": MADE.text(300)}) + line({"api_key": token})
    [found] = redactor.findings_in(lines.decode())
    assert lines[found.offset : found.offset + found.length].decode() == token


def test_only_redaction_makes_clean_things() -> None:
    with pytest.raises(TypeError):
        Clean("x", object())
    with pytest.raises(TypeError):
        Redacted(session([]), (), None)
    assert Clean("x", _PROOF) == "x"
    root = Path(gitsession.__file__).parent
    for path in root.rglob("*.py"):
        room = path.relative_to(root).parts[0]
        if room == "redaction" or path.name == "finding.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))
            assert name != "_PROOF", path
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                assert called not in ("Clean", "Redacted"), path
