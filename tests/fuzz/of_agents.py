"""Files of every agent: found, read whole and in two halves, told as messages, written anew."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from gitsession.agents import base, registry
from gitsession.agents.base import Agent, Source, Target
from gitsession.environment import Environment
from gitsession.errors import GitSessionError, SourceUnreadable
from gitsession.events import events
from gitsession.files import is_regular, read_range
from gitsession.model.session import Session
from tests.agents.contract import head, joined, whole
from tests.fuzz.reader import Reader
from tests.vibe_builder import Vibe

ID = "11111111-2222-4333-8444-555555555555"
PLACES = {
    "claude-code": f"home/.claude/projects/-project/{ID}.jsonl",
    "codex": f"home/.codex/sessions/2026/01/31/rollout-2026-01-31T12-00-00-{ID}.jsonl",
    "pi": f"home/.pi/agent/sessions/--project--/2026-01-31T12-00-00-000Z_{ID}.jsonl",
    "qwen": f"home/.qwen/projects/-project/chats/{ID}.jsonl",
    "gemini": "home/.gemini/tmp/project/chats/session-2026-01-31T12-00-11111111.jsonl",
    "copilot": f"home/.copilot/session-state/{ID}/events.jsonl",
    "cline": "home/.cline/data/sessions/1795980076081_9flu6/1795980076081_9flu6.messages.json",
    "kimi": f"home/.kimi-code/sessions/wd_project_3b5f2e75537e/{ID}/agents/main/wire.jsonl",
    "claw": "project/.claw/sessions/0a1b/session-1775386832313-0.jsonl",
    "aider": "project/.aider.chat.history.md",
    "generic": "home/.local/share/gitsession/generic/session-1795000000000-7.jsonl",
    "codesess": "home/.code_sessions/s.codesess",
    "chatgpt": "home/conversations.json",
    "claude-ai": "home/conversations.json",
    "lobechat": "home/topic.json",
    "opencode": "home/export.json",
    "kilo": "home/export.json",
    "continue": f"home/.continue/sessions/{ID}.json",
}
"""Where each agent would keep the file; databases have a module of their own."""

_LINES = {
    "claude-code", "codex", "pi", "qwen", "gemini", "copilot", "kimi", "claw", "generic",
    "codesess",
}  # fmt: skip


def readers() -> Iterator[Reader]:
    for name, place in PLACES.items():
        shape = "text" if name == "aider" else "lines" if name in _LINES else "json"
        yield Reader(f"agent-{name}", shape, partial(read_file, name, place), partial(seeds, name))
    yield _vibe()


def _vibe() -> Reader:
    """A store of many files: hostile is the one that holds the history."""
    state = "generations/0000000000000034/projection-state.json"

    def read(data: bytes, folder: Path) -> None:
        an_environment(folder)
        path = Vibe().turn_of("question").save(folder / "home")
        (path.parent / state).write_bytes(data)
        read_place(registry.get("vibe"), path, folder)

    def some() -> Iterator[bytes]:
        for turns in (1, 3):
            with tempfile.TemporaryDirectory() as folder:
                session = Vibe()
                for number in range(turns):
                    session.turn_of(f"question {number}")
                yield (session.save(Path(folder)).parent / state).read_bytes()

    return Reader("agent-vibe", "json", read, some)


def read_file(name: str, place: str, data: bytes, folder: Path) -> None:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    read_place(registry.get(name), path, folder)


def an_environment(folder: Path) -> Environment:
    home, project = folder / "home", folder / "project"
    home.mkdir(exist_ok=True)
    project.mkdir(exist_ok=True)
    return Environment({"HOME": str(home), "PATH": "/usr/bin:/bin"}, home, str(project))


def read_place(agent: Agent, path: Path, folder: Path) -> None:
    """Everything an adapter may be asked about a file that lies there."""
    environment = an_environment(folder)
    for source in list(agent.find(environment))[:3]:
        assert isinstance(source.native_id, str) and isinstance(source.cwd, str)
    for source in base.recognise_all(agent, path)[:3]:
        try:
            parts = list(agent.read(source))
        except SourceUnreadable:
            continue
        assert parts
        read_parts(agent, source, parts, environment)


def read_parts(
    agent: Agent, source: Source, parts: list[Session], environment: Environment
) -> None:
    """Records, joined, are the native bytes; reading on from a turn's end gives the same rest."""
    native = [base.native_bytes(agent, source, 0, base.native_length(agent, source))]
    if hasattr(agent, "settled") and is_regular(source.file):
        # Of such an agent they may lack what each writing replaces.
        native.append(read_range(source.file, 0, source.size))
    assert joined(parts) in native, "no byte is lost or added"
    session = whole(parts)
    messages = agent.messages(session)
    assert all(message.role for message in messages)
    read_events(session._replace(messages=tuple(messages)))
    done = [part for part in parts if part.turn and part.turn.finished]
    if done:
        read_on(agent, source, parts, done[len(done) // 2])
    try:
        written = agent.write(
            session, Target(cwd="/elsewhere", native_id="", foreign=True), environment
        )
    except GitSessionError:
        return
    assert written.main in written.files or not written.files
    assert all(isinstance(data, bytes) for data in written.files.values())


def read_events(session: Session) -> None:
    """What happened in it, and the page that a model gets of that."""
    found = events(session)
    assert all(0 < event.message <= len(session.messages) and event.data for event in found)
    assert [event.hash for event in events(session)] == [event.hash for event in found]


def read_on(agent: Agent, source: Source, parts: list[Session], at: Session) -> None:
    try:
        rest = list(agent.read(source, head(at)))
    except SourceUnreadable:
        return
    place = parts.index(at) + 1
    assert joined(rest) == joined(parts[place:]), "a later save sees the same bytes"


def seeds(name: str) -> Iterable[bytes]:
    """From the suite that every adapter passes: sessions of one and of three turns."""
    for case in cases(name):
        for turns in (1, 3):
            data = placed(case, turns)
            if not data.startswith(b"SQLite format 3"):
                yield data


def placed(case: object, turns: int) -> bytes:
    grow: Callable[[int], bytes] = case.grow  # type: ignore[attr-defined]
    put: Callable[[Environment, bytes], Path] = case.put  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        environment = an_environment(Path(folder))
        return put(environment, grow(turns)).read_bytes()


def cases(name: str) -> Iterator[object]:
    """The cases of an adapter's contract tests; of those in a database the other forms."""
    import importlib

    module = importlib.import_module(
        "tests.agents.test_chat_exports"
        if name in ("chatgpt", "claude-ai")
        else "tests.agents.test_databases"
        if name in ("goose", "crush")
        else f"tests.agents.test_{name.replace('-', '_')}"
    )
    for thing in vars(module).values():
        case = getattr(thing, "case", None)
        if case is not None and getattr(getattr(case, "agent", None), "name", "") == name:
            yield case
