"""Every kind of output, whole, as a person sees it."""

# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
import render_story as story
from render_snapshot import check

from gitsession.compare import compare
from gitsession.model.call import find_call
from gitsession.model.history import Tip
from gitsession.model.report import (
    Checkout,
    Native,
    Operation,
    Problem,
    PushPlan,
    Saved,
    SaveReport,
    Scrubbed,
    ScrubPlan,
    SessionRow,
    Status,
    Transfer,
)
from gitsession.model.session import Info, Session
from gitsession.render import (
    diff,
    html,
    listing,
    log,
    markdown,
    report,
    scrubbing,
    sharing,
    show,
    status,
)
from gitsession.render.palette import COLOUR

Lines = Callable[[], Iterable[str]]
AFTER, BEFORE = story.after(), story.before()
DIFF = compare(BEFORE, AFTER)
NOW = story.NOW


def style(**options: object) -> log.Style:
    return log.Style(
        NOW, refs=story.REFS, head=story.HEAD, session=story.SESSION, **options  # type: ignore[arg-type]
    )  # fmt: skip


def row(number: int, hours: float, **values: object) -> SessionRow:
    known: dict[str, object] = {
        "row": number, "session": story.SESSION, "title": "Fix the login redirect",
        "prompt": "Use my token for the API test", "agent": "claude-code",
        "native_id": story.INFO.native_id, "project": "/project",
        "branches": (f"{story.SESSION}/main",), "versions": 3, "messages": 9, "size": 27_000,
        "time": NOW - int(hours * 3600), "head": "a" * 40, **values,
    }  # fmt: skip
    return SessionRow(**known)  # type: ignore[arg-type]


ROWS = (
    row(1, 0.4, branches=tuple(f"{story.SESSION}/{n}" for n in ("main", "cookies", "rewound-1"))),
    row(
        2,
        7,
        title="日本語のセッション：検索を直す",
        session="検索を直す-77ab",
        prompt="続けて",
        open=True,
    ),
    row(3, 24 * 9, title="evil \x1b[2J\u202etitle\nline two", session="evil-9c1d", size=48_000_000),
    row(4, 24 * 9.1, title="", session="codex-0199", prompt="", readable=False, messages=1),
)

PLACES = (
    ROWS[0],
    row(2, 7, project=f"git:{'9' * 40}::", folder="/home/user/notes"),
    row(3, 9, project=f"git:{'9' * 40}:web:example.org/team/notes"),
    row(4, 9.5, project=f"git:{'9' * 40}:web:"),
)

SAVED = Saved(
    "claude-code", story.INFO.native_id, "saved", story.HEAD, story.INFO.title,
    story.VERSIONS[::-1], story.FINDINGS, 11, 14_200, damaged=1, withheld=((".env", "secret"),),
    left=(f"{story.SESSION}/rewound-1",),
    made=6,
)  # fmt: skip
QUIET = Saved("codex", "0199", "nothing", "codex-0199/main", "Other")
LOST = Saved("codex", "0197", "unreadable", error="line 1 is not JSON")
STORE = "/home/user/.local/share/gitsession/store.git"

BACK = Checkout(
    story.VERSIONS[3], f"{story.SESSION}/main-2", "claude-code", "1c2d3e4f-0000-4000-8000-000000000000",
    "/home/user/.claude/projects/-project/1c2d3e4f-0000-4000-8000-000000000000.jsonl",
    ("claude", "--resume", "1c2d3e4f-0000-4000-8000-000000000000"), "/my project",
    masked=2, repairs=("1 tool call without result marked as interrupted",),
    saved_first=(story.HEAD,),
)  # fmt: skip

PLAN = PushPlan(
    "team", "ssh://git@host.example/team/sessions.git", True,
    ((f"refs/heads/{story.HEAD}", "", "a" * 40),), (story.SESSION,), 3, 1,
    ("/home/user", "/project"), "A Person <person@example.org>",
)  # fmt: skip

OUTPUTS: dict[str, Lines] = {
    "log.txt": lambda: log.full(story.VERSIONS, style()),
    "log-stat.txt": lambda: log.full(story.VERSIONS[2:], style(stat=True)),
    "log-oneline.txt": lambda: log.oneline(story.VERSIONS, style(width=80)),
    "log-oneline-colour.txt": lambda: log.oneline(story.VERSIONS[:2], style(palette=COLOUR)),
    "log-graph.txt": lambda: log.oneline(story.VERSIONS, style(graph=True)),
    "log-graph-full.txt": lambda: log.full(story.VERSIONS, style(graph=True)),
    "list.txt": lambda: listing.sessions(ROWS, NOW, width=90),
    "list-projects.txt": lambda: listing.sessions(PLACES, NOW, width=60, projects=True),
    "list-narrow.txt": lambda: listing.sessions(PLACES, NOW, width=36, projects=True),
    "list-none.txt": lambda: [*listing.no_sessions(False), *listing.no_sessions(True)],
    "branches.txt": lambda: listing.branches(
        [Tip(ref, v.id, v.time, v.subject, v.trailers)
         for v in story.VERSIONS for ref in story.REFS.get(v.id, [])],
        NOW, head=story.HEAD,
    ),
    "oplog.txt": lambda: listing.operations(
        [
            Operation(12, NOW - 60, "undo", ((f"refs/heads/{story.HEAD}", "a" * 40, "c" * 40),), undoes=11),
            Operation(11, NOW - 7200, "save", ((f"refs/heads/{story.HEAD}", "c" * 40, "a" * 40),), automatic=True),
            Operation(10, NOW - 7300, "save", ((f"refs/gitsession/wip/{story.HEAD}", "", "a" * 40),)),
            Operation(9, NOW - 90_000, "branch", ((f"refs/heads/{story.SESSION}/x", "", "a" * 40),)),
            Operation(8, NOW - 90_100, "save", (), details={"heads": [["d" * 32, "", story.HEAD]]}),
        ],
        NOW,
    ),
    "show.txt": lambda: show.version(story.VERSIONS[0], AFTER, style()),
    "show-compacted.txt": lambda: show.conversation(story.compacted().messages),
    "show-message.txt": lambda: show.message(story.MESSAGES[1], 2, everything=True),
    "show-tool-call.txt": lambda: show.tool_call(find_call(AFTER.messages, "toolu_02")),
    "show-findings.txt": lambda: show.findings(story.FINDINGS),
    "show-empty.txt": lambda: show.version(story.VERSIONS[5], Session(Info("codex", "0199")), style()),
    "diff.txt": lambda: diff.text(DIFF),
    "diff-colour.txt": lambda: diff.text(DIFF, palette=COLOUR),
    "diff-stat.txt": lambda: diff.stat(DIFF),
    "diff-back.txt": lambda: diff.text(compare(AFTER, BEFORE), files=False),
    "diff-compaction.txt": lambda: diff.text(compare(AFTER, story.compacted())),
    "diff-nothing.txt": lambda: diff.text(compare(AFTER, AFTER)),
    "status.txt": lambda: status.text(
        Status(
            STORE, story.HEAD, story.VERSIONS[0],
            (
                Native("claude-code", story.INFO.native_id, story.HEAD, "/home/user/a.jsonl", "live", 4, 5_100),
                Native("codex", "0199", "codex-0199/main", "/home/user/b.jsonl", "shrunk"),
                Native("codex", "0198", "codex-0198/main", "/home/user/c.jsonl", "live"),
            ),
            ((".env", "secret"),), ("claude-code: the lock was held for 10 seconds",),
        ),
        NOW,
    ),
    "status-nothing.txt": lambda: status.text(Status(STORE, "", None), NOW),
    "save-first.txt": lambda: report.saved(SaveReport((SAVED,), STORE, first=True)),
    "save-all.txt": lambda: report.saved(SaveReport((SAVED, QUIET, LOST), STORE)),
    "save-nothing.txt": lambda: report.saved(SaveReport((QUIET,), STORE)),
    "checkout.txt": lambda: report.checkout(BACK),
    "undo.txt": lambda: report.operation(
        Operation(12, NOW, "checkout", ((f"refs/heads/{story.HEAD}", "a" * 40, "c" * 40),))
    ),
    "fsck.txt": lambda: report.problems((Problem("object", "streams/main/00/00/03.jsonl", "is damaged", "c" * 40),)),
    "scrub.txt": lambda: [
        *scrubbing.plan(ScrubPlan(("__REDACTED_secret_00000000__",), {"blob": 2, "commit": 1}, 1_961)),
        *scrubbing.done(Scrubbed(("__REDACTED_secret_00000000__",), 1, 2, 1_875, 0)),
        *scrubbing.done(Scrubbed(("__REDACTED_secret_00000000__",), 3, 1, 1_875, 0)),
    ],
    "push-nothing.txt": lambda: sharing.plan(replace(PLAN, refs=(), versions=0, masked=0)),
    "push-plan.txt": lambda: sharing.plan(PLAN),
    "push-refused.txt": lambda: sharing.plan(
        PushPlan(PLAN.remote, PLAN.url, False, PLAN.refs, PLAN.sessions, 3, 1, (), "",
                 (("aaaaaaaa", "main:7 message.content", "github-pat"),), ("the URL holds a password",))
    ),
    "transfer.txt": lambda: sharing.transfer(
        Transfer("team", ((f"refs/heads/{story.HEAD}", "", "a" * 40),),
                 ((f"refs/heads/{story.SESSION}/x", "not a fast-forward"),), ("kept as team/x",)),
        "push",
    ),
    "export.md": lambda: markdown.page(AFTER, story.VERSIONS[0]),
    "export-full.md": lambda: markdown.page(AFTER, story.VERSIONS[0], full=True),
    "export-compacted.md": lambda: markdown.page(story.compacted(), full=True),
    "export.html": lambda: html.page(AFTER, story.VERSIONS[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_output(name: str) -> None:
    check(name, "".join(line + "\n" for line in OUTPUTS[name]()))


def test_G12_a_tool_call_is_addressable() -> None:
    lines = list(show.tool_call(find_call(AFTER.messages, "toolu_04")))
    said = "\n".join(lines)
    assert "toolu_04" in said and "pytest -q" in said and "no result yet" in said
    assert "toolu_03" not in said and "safe_next" not in said


def test_CL10_a_fork_shows_its_parent_and_where_it_was_cut() -> None:
    forked = Session(story.INFO._replace(native_id="new-id", parent="old-id"))
    lines = [" ".join(line.split()) for line in show.metadata(forked, story.VERSIONS[1])]
    assert f"first saved as {story.INFO.identity}" in lines
    assert f"parent {'f' * 40}" in lines
    assert "forked from old-id" in lines


def test_a_log_and_a_list_load_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from gitsession.render import log, listing, palette\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert "gitsession.render.log" in loaded
    assert not loaded & {"dataclasses", "json", "re", "unicodedata", "difflib", "typing"}
