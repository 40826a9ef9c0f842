"""`export --format html`: a session as one self-contained page: no scripts, nothing to load.

All text of the session is escaped, and a content security policy blocks whatever might slip
through: it allows only this style sheet (by its hash) and pictures embedded in the page.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape

from gitsession.render import words
from gitsession.render.html_message import article, one_line
from gitsession.render.html_style import CSS
from gitsession.render.prompts import asked, prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message
    from gitsession.model.session import Session

_TODO = {"completed": "☑", "in_progress": "◐", "cancelled": "☒"}


def page(session: Session, version: Version | None = None) -> Iterator[str]:
    """Yield the pieces of the page, to be joined by newlines."""
    title = one_line(session.info.title or f"{session.info.agent} session", 120)
    digest = b64encode(sha256(CSS.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'
    yield f"<title>{title}</title>"
    yield f"<style>{CSS}</style></head><body>"
    yield '<a class="skip" href="#conversation">To the conversation</a><div class="page">'
    yield from _head(session, version, title)
    yield from _contents(session.messages)
    yield from _conversation(session.messages)
    yield from _foot(version)
    yield "</div></body></html>"


def _head(session: Session, version: Version | None, title: str) -> Iterator[str]:
    info = session.info
    rows = [
        ("Agent", f"{info.agent} {info.agent_version}".strip()),
        ("Model", ", ".join(info.models)),
        ("Project", info.cwd),
        ("Branch", info.git_branch),
        ("From", words.local(info.created)),
        ("To", words.local(info.updated)),
        ("Messages", f"{len(session.messages):,}"),
        ("Tokens", f"{session.usage.total:,}" if session.usage.total else ""),
        ("Version", version.id[:12] if version else ""),
    ]
    yield f'<header><h1>{title}</h1><dl class="facts">'
    for name, value in rows:
        if value:
            yield f"<div><dt>{name}</dt><dd>{one_line(value, 120)}</dd></div>"
    yield "</dl>"
    if session.state.todos:
        done = sum(todo.status == "completed" for todo in session.state.todos)
        yield f'<details class="side"><summary>Todos: {done} of {len(session.state.todos)} done'
        yield "</summary><ul>"
        for todo in session.state.todos:
            yield f"<li>{_TODO.get(todo.status, '☐')} {one_line(todo.text, 300)}</li>"
        yield "</ul></details>"
    yield "</header>"


def _contents(messages: Sequence[Message]) -> Iterator[str]:
    turns = prompts(messages)
    if len(turns) < 2:
        return
    yield '<nav class="side" aria-label="Turns"><details open>'
    yield f"<summary>{words.plural(len(turns), 'turn')}</summary><ol>"
    for number, message in turns:
        said = one_line(asked(message.text), 80) or "(no text)"
        yield f'<li><a href="#m{number}">{said}</a></li>'
    yield "</ol></details></nav>"


def _conversation(messages: Sequence[Message]) -> Iterator[str]:
    yield '<main id="conversation">'
    if not messages:
        yield '<p class="note">This version has no messages.</p>'
    starts = {number for number, _ in prompts(messages)}
    runs = list(_runs(messages))
    days = words.new_days(run[0][1].time for run in runs)
    for is_open, (run, dated) in enumerate(zip(runs, days, strict=True)):
        if run[0][0] in starts or not is_open:
            yield "</section>" * bool(is_open) + '<section class="turn">'
        yield from article(run, dated=dated)
    yield "</section></main>" if messages else "</main>"


def _runs(messages: Sequence[Message]) -> Iterator[list[tuple[int, Message]]]:
    """Yield runs of messages with their numbers: consecutive messages of one role, except the
    user's, form one run."""
    run: list[tuple[int, Message]] = []
    for number, message in enumerate(messages, 1):
        if run and (message.role == "user" or message.role != run[-1][1].role):
            yield run
            run = []
        run.append((number, message))
    if run:
        yield run


def _foot(version: Version | None) -> Iterator[str]:
    yield "<footer>Exported by gitsession"
    if version is not None:
        yield f"from version <code>{escape(version.id)}</code>"
    yield "· secrets were taken out before the session was stored</footer>"
