"""Requests: the order of their parts, and the shapes that the providers accept."""

from __future__ import annotations

from typing import Any

import pytest

from gitsession.context.build import build
from gitsession.context.entry import Context
from gitsession.context.requests import FORMS, request
from gitsession.context.wire import Asking, state_text
from gitsession.errors import UsageError
from gitsession.model.message import Message, Part
from gitsession.model.session import Session, State, Todo

from .making import CHARS, random_session, runs, says, session, user
from .request_rules import check
from .test_build import long_talk

ASKING = Asking("some-model", "session-1", ("Bash", "Read"))


def context_of(given: Session, budget: int = 50_000, **wishes: Any) -> Context:
    return build(given, budget, counter=CHARS, **wishes)


@pytest.mark.parametrize("form", FORMS)
def test_G19_random_contexts_make_valid_requests(form: str) -> None:
    for seed in range(300):
        given = random_session(seed)
        asked = given._replace(messages=(*given.messages, user("go on")))
        body = request(context_of(asked, 200_000), ASKING, form)
        check(body, form)


def test_G19_model_system_summary_chain_new_message_tools_in_this_order() -> None:
    talk = long_talk()._replace(messages=(*long_talk().messages, user("go on")))
    context = context_of(talk, 3_000, system="be brief")
    body = request(context, ASKING, "anthropic")
    members = [name for name in body if name in ("model", "system", "messages", "tools")]
    assert members == ["model", "system", "messages", "tools"]
    assert body["system"] == "be brief"
    first = body["messages"][0]
    assert first["role"] == "user"
    assert first["content"][0]["text"].startswith("Summary of earlier messages 1-")
    assert body["messages"][-1]["content"][-1] == {"type": "text", "text": "go on"}
    assert [tool["name"] for tool in body["tools"]] == ["Bash", "Read"]
    assert body["tool_choice"] == {"type": "auto"}
    assert body["metadata"] == {"user_id": "session-1"}
    body = request(context, ASKING, "openai")
    assert [message["role"] for message in body["messages"][:2]] == ["system", "user"]
    assert body["messages"][-1] == {"role": "user", "content": "go on"}
    assert (body["tool_choice"], body["metadata"]) == ("auto", {"session_id": "session-1"})
    assert [tool["function"]["name"] for tool in body["tools"]] == ["Bash", "Read"]
    body = request(context, ASKING, "gemini")
    assert body["contents"][-1]["parts"][-1] == {"text": "go on"}
    assert body["model"] == "models/some-model"


def test_G20_working_state_as_text_each_line_once() -> None:
    state = State(
        (Todo("test it", "pending"),), "src/a.py", 7, "npm install", 1, memory=("JWT, not cookies",)
    )
    assert state_text(state).split("\n") == [
        "Working state of the session:", "Active file: src/a.py, line 7",
        "Last command: npm install (exit code 1)", "Todo (pending): test it",
        "Memory: JWT, not cookies",
    ]  # fmt: skip
    assert state_text(State()) == ""


def test_calls_stand_together_and_their_results_follow() -> None:
    given = session(user("go"), runs(("a", "1"), ("b", ""), text="I look"), says("done"))
    body = request(context_of(given), ASKING, "anthropic")
    kinds = [[block["type"] for block in m["content"]] for m in body["messages"]]
    assert kinds == [["text"], ["text", "tool_use", "tool_use"], ["tool_result"] * 2, ["text"]]
    assert "content" not in body["messages"][2]["content"][1]


def test_a_conversation_that_begins_with_an_answer_gets_a_first_line() -> None:
    given = session(says("hello"), user("x"))
    for form in FORMS:
        check(request(context_of(given), ASKING, form), form)


def test_odd_ids_names_arguments_and_texts_are_made_acceptable() -> None:
    parts = (
        Part("text", "half \ud800 surrogate"),
        Part("tool_call", name="mcp:a/b c", call_id="id with spaces and 字", input="ls -l"),
        Part("tool_result", "no \udfff", call_id="id with spaces and 字", error=True),
        Part("tool_call", name="x" * 100, call_id="y" * 100, input=[1, 2]),
        Part("tool_result", "fine", call_id="y" * 100),
    )
    given = session(user("go"), Message("assistant", parts), user("on"))
    for form in FORMS:
        check(request(context_of(given), ASKING, form), form)
    body = request(context_of(given), ASKING, "anthropic")
    calls = [block for block in body["messages"][1]["content"] if block["type"] == "tool_use"]
    assert calls[0]["name"] == "mcp_a_b_c"
    assert [call["input"] for call in calls] == [{"input": "ls -l"}, {"input": [1, 2]}]
    assert len({call["id"] for call in calls}) == 2


def test_images_go_along_where_their_bytes_are_known() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    image = Part("image", name="image/png", native={"type": "image", "source": source})
    named = Part("file", name="notes.pdf")
    context = context_of(session(Message("user", (Part("text", "look"), image, named))))
    anthropic = request(context, ASKING, "anthropic")["messages"][0]["content"]
    assert anthropic[1] == {"type": "image", "source": source}
    assert anthropic[2] == {"type": "text", "text": "[Attached file: notes.pdf]"}
    openai = request(context, ASKING, "openai")["messages"][0]["content"]
    assert openai[1]["image_url"] == {"url": "data:image/png;base64,aGk="}
    gemini = request(context, ASKING, "gemini")["contents"][0]["parts"]
    assert gemini[1] == {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def test_an_unknown_form_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no request format"):
        request(context_of(session(user("x"))), ASKING, "soap")
