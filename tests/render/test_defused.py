"""Markdown of a session in a page of ours, as another program reads it: nothing of it is active."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.render import defused
from gitsession.render.safe import pasted

markdown_it = pytest.importorskip("markdown_it")
READERS = [markdown_it.MarkdownIt("commonmark"), markdown_it.MarkdownIt("gfm-like", {"linkify": 0})]
IMAGE, HTML = "![a](http://e/x)", "<img src=http://e/x>"
PIECES = st.sampled_from(
    ["\n", "\n\n", "```", "```\n", "````", "~~~", "`", "``", "- ```", "  ```", "    ```", "> ```",
     "1. ", "- ", "   ", "\t", "\\`", "| ` |", "|", "\n|---|---|\n", IMAGE, HTML, "<b>", "<!--",
     "-->", "<?", "x", "# ", "===", "\\", "[b]: http://e", "&lt;", "\r", "\u2028", "<details>"]
)  # fmt: skip


def _active(tokens: Sequence[Any]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("html_block", "html_inline", "image"):
            yield token.content
        yield from _active(token.children or ())


def active(text: str) -> list[str]:
    page = "\n".join(defused.lines(text)) + "\n\nnext"
    return [found for reader in READERS for found in _active(reader.parse(page))]


@pytest.mark.parametrize(
    "text",
    [
        f"```x`\n{HTML}",  # no fence, since a backtick stands in its first line
        f"```\n    ```\n```\n{HTML}",  # indented too far to end it
        f"- ```\n  ```\n{HTML}",
        f"- a\n  ```\n{HTML}",  # the fence ends with the list
        f"a ` b\n` {HTML} `",  # the code began on the line above
        f"\\` {IMAGE} `",
        f"a ` b | c ` d ` {HTML} `\n--|--\nx|y",
        f"# `\n{HTML} `",
        f"~~~a|b\n|---|---|\n`{HTML}````",
        f"> ```\n```\n{IMAGE}\n> ```\n{IMAGE}",
    ],
)
def test_nothing_breaks_out(text: str) -> None:
    assert not active(text)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_text_breaks_out(text: str) -> None:
    assert not active(text)


def test_code_stays_as_it_is() -> None:
    text = (
        "Use `Vec<T>` and:\n\n- one:\n  ```rust\n  fn a<T>() {\n      b\n  }\n  ```\n- two\n\n<b>"
    )
    assert "\n".join(defused.lines(text)) == (
        "Use `Vec<T>` and:\n\n- one:\n```rust\nfn a<T>() {\n    b\n}\n```\n- two\n\n&lt;b>"
    )
    assert list(defused.lines("```\na ``` b\n")) == ["````", "a ``` b", "````"]
    assert list(defused.lines("- ```sh\n  ls\n  ```\nx")) == ["-", "```sh", "ls", "```", "x"]


@pytest.mark.parametrize("name", ["a;touch x", "$(touch${IFS}x)", "it's", "a\nb", "`x`", "a&b"])
def test_a_name_is_one_word_of_a_command(name: str) -> None:
    import shlex

    assert len(shlex.split(pasted(name))) == 1
    assert "\n" not in pasted(name)
    assert pasted("plain-0a1b/main") == "plain-0a1b/main"
