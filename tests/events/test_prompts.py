"""What a user asks and decides, in any language."""

from __future__ import annotations

import pytest

from gitsession.events.prompts import of_prompt
from gitsession.events.typed import typed

from .making import call, found, note, of_type, types, user

ASKS = "intent investigate"
DOES = "intent implement"
TABLE = [
    # English
    ("Use PostgreSQL here, not SQLite", {"decision", DOES}),
    ("Why does the second test fail on Windows?", {ASKS}),
    ("You are a careful reviewer of Rust code. Look at src/.", {"role", DOES}),
    ("Remove the old parser", {DOES}),
    # Deutsch
    ("Nimm lieber den zweiten Weg, der erste ist zu langsam", {"decision", DOES}),
    ("Warum ist der Speicher nach dem Neustart leer", {ASKS}),
    ("Du bist ein erfahrener Datenbankentwickler.", {"role", DOES}),
    ("Lösche die alten Tests", {DOES}),
    # 中文
    ("请用 PostgreSQL，不要用 SQLite，以后也这样做", {"decision", DOES}),
    ("为什么第二个测试会失败？", {ASKS}),
    ("你是一位资深的后端工程师。", {"role", DOES}),
    ("删除旧的解析器", {DOES}),
    # 日本語
    ("データベースは SQLite ではなく、PostgreSQL を使う", {"decision", DOES}),
    ("なぜこのテストは失敗するのですか", {ASKS}),
    ("あなたは経験豊富なエンジニアです。", {"role", DOES}),
    ("古いパーサーを削除する", {DOES}),
    # Español
    ("Usa la segunda opción, la primera es demasiado lenta", {"decision", DOES}),
    ("¿Por qué falla la segunda prueba?", {ASKS}),
    ("Eres un ingeniero con mucha experiencia.", {"role", DOES}),
    ("Borra las pruebas antiguas", {DOES}),
]


def classes(text: str) -> set[str]:
    """The types that a prompt has beside being one; of an intent which."""
    told = list(of_prompt(text))
    assert told[0] == ("user_prompt", "user-prompt", 1, text)
    return {f"intent {one.data}" if one.type == "intent" else one.type for one in told[1:]}


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[text for text, _ in TABLE])
def test_CM10_prompts_of_five_languages(text: str, expected: set[str]) -> None:
    assert classes(text) == expected


def test_CM10_priorities() -> None:
    told = {one.type: one.priority for text, _ in TABLE for one in of_prompt(text)}
    assert told == {"user_prompt": 1, "decision": 2, "role": 3, "intent": 4}


@pytest.mark.parametrize("text", ["ok", "1", "?", "继续", "…", "Привет", "a" * 3_000, "/compact"])
def test_CM10_a_plain_prompt_is_always_an_event(text: str) -> None:
    told = list(of_prompt(text))
    assert told[0] == ("user_prompt", "user-prompt", 1, text)


@pytest.mark.parametrize(
    "text",
    [
        "Can you look at the parser, and at the tests",  # a request
        "Which of both is faster, the first or the second",  # a question without its mark
        "Excellent work, thank you!",
        "ok, go on",  # too short
        "fix line 1,024 in the table of sizes",  # a number, no clause
        "call f(a,b) in the main loop `x, y`",  # code
        "word, " * 100,  # an essay
        "12, 13, 14, 15, 16, 17",  # nothing said
        "see https://example.org/a,b;c for more",
    ],
)
def test_CM10_what_is_no_decision(text: str) -> None:
    assert "decision" not in classes(text.strip())


def test_CM10_bounds_of_a_decision_count_letters_not_bytes() -> None:
    assert "decision" in classes("好，" + "改" * 13)
    assert "decision" not in classes("好，" + "改" * 12)
    assert "decision" in classes("a, " + "b" * 497)
    assert "decision" not in classes("a, " + "b" * 498)


def test_CM10_a_role_is_the_first_sentence_alone() -> None:
    told = list(of_prompt("From now on you answer in French. The rest is, well, long. " * 5))
    assert [one.data for one in told if one.type == "role"] == ["From now on you answer in French"]


@pytest.mark.parametrize(
    "text",
    [
        "Commit and continue",
        "Remove the cache",
        "Yes",
        "You are, as I said, a reviewer",
        "Never mind that test",
        "ты можешь исправить тест",
        "You will see the error below",
    ],
)
def test_CM10_an_order_is_no_role(text: str) -> None:
    assert "role" not in classes(text)


@pytest.mark.parametrize(
    "text",
    [
        "it says\nTypeError: x is undefined",
        "error[E0425]: cannot find function `f` in this scope",
        "Traceback (most recent call last):\n  File",
        "boom\n    at run (/a/b.js:10:4)",
    ],
)
def test_CM10_a_pasted_error_blocks(text: str) -> None:
    assert "blocker" in classes(text)


@pytest.mark.parametrize("text", ["fixed: the port was taken", "✅ works", "Resolved: see #3"])
def test_CM10_good_news(text: str) -> None:
    assert "blocker_resolved" in classes(text)
    assert "blocker" not in classes(f"{text}\nError: old one")


def test_CM10_much_text_is_data_too_and_a_goal_is_told_apart() -> None:
    assert "data" not in classes("x" * 1_024)
    assert "data" in classes("x" * 1_025)
    assert classes("/goal ship 1.0") == {"goal"}
    assert classes("/plan the new parser") == {"plan_enter"}


def test_CM10_what_programs_put_in_is_no_prompt() -> None:
    texts = [
        "<system-reminder>The date has changed.</system-reminder>",
        "<local-command-stdout>ok</local-command-stdout>",
        "[Request interrupted by user for tool use]",
        "<task-notification><task-id>1</task-id></task-notification>",
    ]
    assert [list(of_prompt(text)) for text in texts] == [[], [], [], []]
    assert found(note("Caveat: this was put in, not typed")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<command-name>/review</command-name>\n<command-args>src/a.py</command-args>",
         "/review src/a.py"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nFix it", "Fix it"),
        ("<bash-input>git status</bash-input>", "! git status"),
        ("<user_query>Fix it</user_query>", "Fix it"),
        ("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix it",
         "Fix it"),
        ("use <b>bold</b> here", "use <b>bold</b> here"),
        ("<system-reminder>never closed", ""),
    ],
)  # fmt: skip
def test_what_was_typed(text: str, words: str) -> None:
    assert typed(text) == words


def test_a_prompt_comes_before_what_it_led_to() -> None:
    told = found(user("Read a.py"), call("Read", {"file_path": "/project/a.py"}, "1\tx"))
    assert types(told)[0] == "user_prompt"
    assert [event.message for event in told][-1] == 2
    assert of_type("file_read", among=told) == ["/project/a.py"]
