"""The exported pages: whole, closed to the outside, and nothing of a session breaks out of them."""

# ruff: noqa: E501

from __future__ import annotations

import re
import time
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
import render_story as story
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session
from gitsession.render import calls, html, markdown, prose
from gitsession.render.html_message import picture

VOID = {"meta", "br", "hr", "img"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "div", "header", "h1", "dl", "dt", "dd", "nav",
    "details", "summary", "ol", "ul", "li", "a", "main", "section", "article", "b", "span", "p",
    "pre", "code", "strong", "em", "h2", "h3", "h4", "h5", "h6", "hr", "br", "blockquote", "table", "thead",
    "tbody", "tr", "th", "td", "mark", "footer", "img", "time",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "title", "open", "src",
    "alt", "start", "aria-label", "role", "datetime",
}  # fmt: skip


class Checked(HTMLParser):
    """Fails on a tag or attribute that we never write, and on tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.said: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attributes:
            assert name in ATTRIBUTES
            if name == "href":
                assert value and re.fullmatch(r"#(m\d+|conversation)", value)
                self.links.add(value[1:])
            if name == "src":
                assert value and value.startswith("data:image/")
            if name == "id":
                assert value not in self.ids
                self.ids.add(value or "")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.said.append(data)


def checked(session: Session) -> Checked:
    page = "\n".join(html.page(session, story.VERSIONS[0]))
    page.encode("utf-8")
    parser = Checked()
    parser.feed(page)
    parser.close()
    assert parser.stack == []
    assert parser.links <= parser.ids
    return parser


def talk(*messages: Message) -> Session:
    return Session(Info("claude-code", "1"), messages=messages)


EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</code></pre></div><iframe src=//example.org>",
    "[click](javascript:alert(1)) ![x](https://example.org/t.png)",
    "`<b>` ``` </details> ***bold** _x_ | a | b |\n|---|---|\n| <i> |",
    "```\n</style><style>*{background:url(//example.org)}",
    "> > > > > > > > > deep\n- a\n  - b\n      - c\n - d\n1. e",
    "\x1b]8;;https://example.org\x07x\x1b]8;;\x07 \u202e\u200b\ud83d",
    "&lt;b&gt; &#x3c;script&#x3e;",
]


@pytest.mark.parametrize("evil", EVIL)
def test_nothing_breaks_out_of_the_page(evil: str) -> None:
    parts = (
        Part("text", evil), Part("reasoning", evil), Part("compaction", evil),
        Part("tool_call", name=evil, call_id=evil, input={evil: evil, "command": evil}),
        Part("tool_result", evil, call_id=evil, error=True), Part("tool_result", evil, call_id="x"),
        Part("tool_call", name="Edit", input={"old_string": evil, "new_string": evil + "\n" + evil}),
        Part("tool_call", name="t", input=evil), Part("image", name=evil, native={"data": evil}),
        Part("file", name=evil), Part("opaque", name=evil, native=evil),
    )  # fmt: skip
    messages = (
        Message("user", parts),
        Message("assistant", parts, evil, evil),
        Message(evil, parts),
    )
    session = story.after()._replace(
        info=Info(evil, evil, title=evil, cwd=evil, models=(evil,)),
        messages=messages,
    )
    said = "".join(checked(session).said)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u200b\u202e]", said)


@settings(max_examples=150)
@given(st.text(st.one_of(st.characters(), st.sampled_from("`*_#>-|[]()<&\n \t~1.")), max_size=120))
def test_prose_is_always_well_formed(text: str) -> None:
    parser = Checked()
    parser.feed(f"<div>{prose.to_html(text)}</div>")
    parser.close()
    assert parser.stack == []


@given(st.text("abc \n`*", max_size=80))
@example("```*`b")
def test_prose_loses_no_letter(text: str) -> None:
    parser = Checked()
    parser.feed(prose.to_html(text))
    letters = [c for c in text if c in "bc"]
    fences = re.findall(r"^ {0,3}`{3,}[^\n`]*[bc]", text, re.M)
    if not fences:  # the word after a fence names a language
        assert [c for c in "".join(parser.said) if c in "bc"] == letters


def test_prose_as_one_writes_it() -> None:
    shown = prose.to_html(
        "# Head\nfirst **bold** *it* `x<y`\nsecond\n\n- one\n- [x] two\n  - deep\n\n3. three\n\n"
        "> quoted\n\n| a | b |\n|---|:-:|\n| 1 | `x` |\n\n---\n\n```py\nif a < b:\n    pass\n```\n"
        "see [docs](https://example.org/x)"
    )
    assert shown == (
        "<h4>Head</h4>\n"
        "<p>first <strong>bold</strong> <em>it</em> <code>x&lt;y</code><br>\nsecond</p>\n"
        "<ul><li>one</li><li>☑ two<ul><li>deep</li></ul></li></ul>\n"
        '<ol start="3"><li>three</li></ol>\n'
        "<blockquote><p>quoted</p></blockquote>\n"
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr>"
        "</tbody></table>\n"
        "<hr>\n"
        "<pre><code>if a &lt; b:\n    pass</code></pre>\n"
        '<p>see docs <span class="url">https://example.org/x</span></p>'
    )


def test_what_was_masked_is_marked() -> None:
    assert prose.plain(f"key {story.MASKED}!") == f"key <mark>{story.MASKED}</mark>!"
    assert "<mark>" in prose.to_html(f"key {story.MASKED} and `{story.MASKED}`")


def test_the_policy_admits_only_this_style_sheet() -> None:
    page = "\n".join(html.page(story.after()))
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "unsafe" not in policy[1] and "http" not in policy[1]
    assert "url(" not in style and "@import" not in style and 'style="' not in page


def test_tool_calls_fold_and_turns_are_listed() -> None:
    parser = checked(story.after())
    page = "\n".join(html.page(story.after()))
    assert page.count('<details class="tool"') == 4
    assert {"m1", "m4", "conversation"} == parser.links - {"m2", "m5"}
    assert '<span class="del">-    return redirect(&#x27;/&#x27;)</span>' in page


def test_what_an_editor_sends_along_is_folded_away() -> None:
    """Claude Code sends it as a part of its own, older ones before the prompt in one text."""
    along = "<ide_selection>lines 1 to 3 of app.py\n</ide_selection>"
    for parts in ((Part("text", along), Part("text", "why?")), (Part("text", f"{along}\nwhy?"),)):
        page = "\n".join(html.page(talk(Message("user", parts), Message("user", parts[-1:]))))
        assert page.count("sent along by the editor") == (1 if len(parts) == 2 else 2)
        assert page.count('<div class="typed">why?</div>') == 2
        assert ">why?</a>" in page  # in the list of turns as well
        text = "\n".join(markdown.page(talk(Message("user", parts))))
        assert text.count("<details><summary>sent along by the editor</summary>") == 1
        assert text.endswith("</details>\n\nwhy?")
    page = "\n".join(html.page(talk(Message("user", (Part("text", "<div>why?</div> it says"),)))))
    assert "sent along" not in page and "&lt;div&gt;why?&lt;/div&gt; it says" in page


def test_a_new_day_is_told() -> None:
    times = ("2026-02-01T10:00:00Z", "2026-02-01T11:00:00Z", "2026-02-02T09:30:00Z", "")
    said = [Message("user", (Part("text", "go on"),), time) for time in times]
    page = "\n".join(html.page(talk(*said)))
    shown = re.findall(r"<time [^>]*>([^<]*)</time>", page)
    assert shown == ["10:00", "11:00", "2026-02-02 09:30"]
    heads = [line for line in markdown.page(talk(*said)) if line.startswith("### ")]
    assert [line.partition(" · ")[2] for line in heads] == [*shown, ""]


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({"todos": [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]},
         "1 of 2 done: write"),
        ({"plan": [{"step": "look", "status": "in_progress"}, {"step": "do", "status": "pending"}]},
         "0 of 2 done: look"),
        ({"todos": [{"content": "read", "status": "completed"}]}, "1 of 1 done"),
        ({"todos": [{"content": 3, "status": "pending"}]}, "0 of 1 done"),
        ({"todos": ["read"]}, '{ "todos": [ "read" ] }'),
        ({"plan": "# How\n\n1. so"}, "How"),
        ({"command": ["apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n"]}, "apply_patch a.py"),
        ({"command": ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.py\nEOF"]},
         "apply_patch b.py"),
        ({"command": ["bash", "-lc", "ls -l"]}, "ls -l"),
        ({"question": "which?"}, "which?"),
        ({"commands": ["ls", "make"]}, "ls make"),
        ({"files": [{"path": "a.py"}, {"path": "b.py"}]}, "a.py b.py"),
        ({"files": [{"name": "a.py"}]}, '{ "files": [ { "name": "a.py" } ] }'),
    ],
)  # fmt: skip
def test_what_a_call_is_about(arguments: dict[str, object], about: str) -> None:
    assert calls.telling(arguments) == about


def test_an_empty_session_is_a_page_too() -> None:
    assert "This version has no messages." in "".join(checked(talk()).said)
    assert "no messages" in "\n".join(markdown.page(talk()))


@pytest.mark.parametrize(
    ("part", "source"),
    [
        (Part("image", native={"source": {"media_type": "image/png", "data": "aGk="}}), "png"),
        (Part("image", native={"image_url": "data:image/jpeg;base64,aGk="}), "jpeg"),
        (Part("image", native={"source": {"media_type": "image/svg+xml", "data": "aGk="}}), ""),
        (Part("image", native={"image_url": "https://example.org/x.png"}), ""),
        (Part("image", native={"source": {"media_type": "image/png", "data": 'x" onload="'}}), ""),
        (Part("image", name="shot.png"), ""),
    ],
)
def test_pictures_only_from_the_page_itself(part: Part, source: str) -> None:
    assert picture(part) == (f"data:image/{source};base64,aGk=" if source else "")


@pytest.mark.parametrize("evil", EVIL)
def test_markdown_is_defused(evil: str) -> None:
    lines = list(markdown.page(talk(Message("assistant", (Part("text", evil),)))))
    fence = ""
    for line in lines[lines.index("## Conversation") :]:
        found = re.match(r" {0,3}(`{3,})", line)
        if found:
            fence = "" if fence else found[1]
            continue
        bare = "" if fence else re.sub(r"`+[^`]+`+", "", line)
        assert "<" not in bare and "![" not in bare
    assert not fence


@pytest.mark.parametrize("evil", [*EVIL, "`", "``` `` `", "a`b<img>`c"])
def test_a_tool_call_in_one_line_is_defused(evil: str) -> None:
    call = Part("tool_call", name=evil, call_id=evil, input={"command": evil})
    result = Part("tool_result", evil, call_id=evil)
    lines = list(markdown.page(talk(Message("assistant", (call, result)))))
    shown = [line for line in lines[lines.index("## Conversation") :] if line]
    assert len(shown) == 3, "heading, message, one line"
    ticks = re.findall(r"`+", shown[2])
    bare = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", shown[2]).replace("\\<", "")
    assert "<" not in bare, (ticks, bare)


def test_a_fence_in_a_tool_result_stays_inside() -> None:
    text = "````\nouter\n````\n# not a heading"
    part = Part("tool_call", name="x", call_id="1", input={"command": "ls"})
    page = "\n".join(
        markdown.page(
            talk(Message("assistant", (part, Part("tool_result", text, call_id="1")))), full=True
        )
    )
    assert f"`````\n{text}\n`````" in page


@pytest.mark.parametrize(
    "piece", ["`", "``a`", "**a", "[a](", "| - ", "# ", " ", "- ", "\t- x\n", ">"]
)
def test_long_odd_texts_take_no_long_time(piece: str) -> None:
    start = time.process_time()
    text = piece * (200_000 // len(piece))
    prose.to_html(text)
    list(markdown.page(talk(Message("assistant", (Part("text", text),)))))
    prose.to_html((piece * (3_900 // len(piece)) + "\n") * 20)
    assert time.process_time() - start < 5
