"""Every renderer, fed with the worst strings: printable output, valid UTF-8, no crash."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from test_render_safe import HOSTILE, dangers

from gitsession.compare import compare
from gitsession.model.call import calls
from gitsession.model.finding import Finding
from gitsession.model.history import Tip, Version
from gitsession.model.message import Message, Part
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.report import (
    Checkout,
    Native,
    Operation,
    Problem,
    PushPlan,
    Saved,
    SaveReport,
    SessionRow,
    Status,
    Transfer,
)
from gitsession.model.session import Info, Session, State, Todo
from gitsession.render import diff, html, listing, log, markdown, report, sharing, show, status
from gitsession.render import json as as_json

NUMBERS = st.integers(-(2**63), 2**63)
VALUES = st.recursive(
    st.one_of(HOSTILE, st.none(), st.booleans(), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(HOSTILE, inner, max_size=3)
    ),
    max_leaves=6,
)
PARTS = st.builds(
    Part,
    kind=st.sampled_from(
        ["text", "reasoning", "tool_call", "tool_result", "image", "file", "compaction", "opaque"]
    ),
    text=HOSTILE, name=HOSTILE, call_id=st.sampled_from(["", "1", "2", "\x1b"]), input=VALUES,
    error=st.booleans(), synthetic=st.booleans(), native=VALUES,
)  # fmt: skip
MESSAGES = st.builds(
    Message, st.one_of(st.sampled_from(["user", "assistant"]), HOSTILE),
    st.lists(PARTS, max_size=4).map(tuple), time=HOSTILE, model=HOSTILE,
    native_id=st.sampled_from(["", "a", "b"]),
)  # fmt: skip
FILES = st.lists(
    st.builds(File, HOSTILE, st.one_of(st.none(), st.binary(max_size=40)), HOSTILE), max_size=3
).map(tuple)


@st.composite
def sessions(chosen: st.DrawFn) -> Session:
    word = lambda: chosen(HOSTILE)  # noqa: E731
    return Session(
        Info(word(), word(), word(), word(), word(), word(), word(), (word(),), word(), word()),
        streams=(Stream(word(), (Record(b"\x1b"),)),),
        sidecars=(Sidecar(word(), b"x"),),
        files=chosen(FILES),
        instructions=chosen(FILES),
        state=State(
            (Todo(word(), word(), word()),), word(), chosen(NUMBERS), word(), 1, word(), (word(),),
            (word(),), ({"x": word()},), {"y": chosen(VALUES)},
        ),
        messages=chosen(st.lists(MESSAGES, max_size=5).map(tuple)),
    )  # fmt: skip


def is_safe(lines: Iterable[str], allowed: str = "") -> None:
    for line in lines:
        assert not dangers(line, allowed), line
        line.encode("utf-8")


@settings(max_examples=120, deadline=None)
@given(sessions(), sessions())
def test_sessions(one: Session, two: Session) -> None:
    is_safe(show.metadata(one))
    is_safe(show.conversation(one.messages))
    for call in calls(one.messages):
        is_safe(show.tool_call(call))
    is_safe(markdown.page(one), allowed="\n\t")
    is_safe(html.page(one), allowed="\n\t")
    changes = compare(one, two)
    is_safe(diff.text(changes))
    is_safe(diff.stat(changes))
    assert compare(one, one).messages == ()
    for value in (one, changes):
        text = as_json.answer("x", {"value": value})
        assert text.isascii()
        json.loads(text, parse_constant=lambda name: 1 / 0)


@settings(max_examples=80, deadline=None)
@given(HOSTILE, HOSTILE, st.integers(-(2**40), 2**62))
def test_reports(one: str, two: str, time: int) -> None:
    commit = "a1" * 20  # ids come from git itself
    version = Version(
        commit, commit, (commit,), time, one, {"Title": two, "Kind": one, "Tokens": two}, two
    )
    style = log.Style(
        0, refs={commit: [two, "refs/tags/" + two]}, head=two, session=one, graph=True
    )
    row = SessionRow(1, one, two, one, two, one, two, (one, two), 1, 2, 3, time, one)
    native = Native(one, two, one, two, two)
    moves = ((one, two, one),)
    saved = [
        Saved(one, two, kind, one, two, (version,), (), left=(one,), note=two, error=one)
        for kind in ("saved", "nothing", "wip", "unreadable", one)
    ]
    done = Checkout(
        version, one, two, one, two, (one, two), one, 1, (two,), (one,), (two,), note=one
    )
    plan = PushPlan(one, two, True, moves, (one,), 1, 1, (two,), one, ((one, two, one),), (two,))
    for lines in (
        log.full([version], style),
        log.oneline([version], style),
        listing.sessions([row], 0, projects=True),
        listing.branches([Tip(one, two, time, one, {})], 0),
        listing.operations([Operation(1, time, one, moves)], 0),
        status.text(Status(one, two, version, (native,), ((one, two),), (two,)), 0),
        report.saved(SaveReport(tuple(saved), one, first=True)),
        report.checkout(done),
        report.operation(Operation(1, time, one, moves)),
        report.problems([Problem(one, two, one, two)]),
        report.scanned([(one, two, one)]),
        sharing.plan(plan),
        sharing.transfer(Transfer(one, moves, ((one, two),), (two,)), "push"),
        show.findings([Finding(one, two, one)]),
    ):
        is_safe(lines)
    assert as_json.answer("x", {"all": [version, row, native, saved, done, plan]}).isascii()


def test_arguments_that_are_nested_without_end() -> None:
    deep: object = "x"
    for _ in range(5_000):
        deep = [deep]
    message = Message("assistant", (Part("tool_call", name="t", call_id="1", input={"a": deep}),))
    session = Session(Info("codex", "1"), messages=(message,))
    is_safe(show.conversation(session.messages))
    is_safe(html.page(session), allowed="\n\t")
    is_safe(markdown.page(session), allowed="\n\t")
    is_safe(diff.text(compare(Session(Info("codex", "1")), session)))
    assert "nested too deep" in as_json.answer("x", {"session": session})
