"""OpenAI Codex CLI: rollout files, one JSON line per record, from its first format to today's.

Finding, bytes, facts, messages and writing are in the other modules of this folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gitsession.agents.base import Capabilities, Source
from gitsession.agents.codex import find as codex_find
from gitsession.agents.codex.facts import Facts
from gitsession.agents.codex.records import Row
from gitsession.agents.codex.source import Tape, open_tape
from gitsession.agents.family import FamilyAgent
from gitsession.agents.lenient import mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.agents.turns import cut
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Stream
from gitsession.model.session import Info, Session


class Codex(FamilyAgent):
    """The adapter; see `base.Agent` for the contract of each method.

    Positions in the stream `main` are bytes of the session's tape: for a fork by reference, the
    parents' bytes up to the cut come first, and `carry["base"]` says how many bytes and records.
    """

    name = codex_find.NAME
    title = "Codex CLI"
    capabilities = Capabilities(hooks=True, compose=True)
    constants = ("thread_id", "session_id", "cwd")

    def newest(self, environment: Environment, cwd: str, after: int) -> Source | None:
        return codex_find.newest(environment, cwd, after)

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        try:
            yield from _read(source, since)
        except OSError as error:
            raise SourceUnreadable(
                f"the session file cannot be read: {error.strerror}",
                hint="check that it still exists and that you may read it",
            ) from error

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """See `base.native_bytes`."""
        return self._tape(source).read(offset, length)

    def length_of(self, source: Source) -> int:
        """See `base.native_length`."""
        return self._tape(source).length

    @staticmethod
    def _tape(source: Source) -> Tape:
        try:
            return open_tape(source.path, source.size)[0]
        except SourceUnreadable as error:
            raise OSError(str(error)) from error

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("codex", "resume", native_id)


def _read(source: Source, since: Session | None) -> Iterator[Session]:
    base = mapping_of(since.carry.get("base")) if since is not None else {}
    same = since is not None and since.carry.get("source") == source.native_id
    remembered = number_of(base.get("bytes")) if same else 0
    tape, meta = open_tape(source.path, source.size, remembered)
    info = _info(source, meta)
    facts = Facts(info, tape, _family(info, tape), since)
    position = since.stream() if since is not None else Stream("main")
    yield from cut(tape.lines(position.offset), position, facts)


def _info(source: Source, meta: Row) -> Info:
    payload = meta.payload
    cwd = text_of(payload.get("cwd"))
    return Info(
        agent=codex_find.NAME,
        native_id=source.native_id,
        title=source.title,
        cwd=cwd,
        created=utc_time(payload.get("timestamp")) or utc_time(meta.time),
        agent_version=text_of(payload.get("cli_version")),
        git_branch=text_of(mapping_of(payload.get("git")).get("branch")),
        parent=_parent(payload),
        roots=(cwd,) if cwd else (),
    )


def _parent(payload: Mapping[str, Any]) -> str:
    spawned = mapping_of(mapping_of(payload.get("source")).get("subagent")).get("thread_spawn")
    for value in (
        payload.get("forked_from_id"),
        payload.get("parent_thread_id"),
        mapping_of(spawned).get("parent_thread_id"),
        mapping_of(payload.get("history_base")).get("thread_id"),
    ):
        if text_of(value):
            return text_of(value)
    return ""


def _family(info: Info, tape: Tape) -> frozenset[str]:
    """Return the ids whose headers here are not another session's records ("" for damage)."""
    return frozenset((info.native_id, info.parent, *tape.ancestors, ""))


AGENT = Codex()
