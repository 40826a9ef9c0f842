"""Writes a Claude Code session that the agent can continue: new id, new folder, same history."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable
from pathlib import Path

from gitsession.agents.base import Target, Written
from gitsession.agents.claude_code.find import folder_name, home
from gitsession.agents.claude_code.foreign import shared_meta, strip
from gitsession.agents.claude_code.records import CONVERSATION
from gitsession.agents.claude_code.repair import repair
from gitsession.agents.claude_code.sidecars import BACKUP
from gitsession.agents.claude_code.tree import is_subagents
from gitsession.agents.envelope import UUID, moved_cwd
from gitsession.agents.lenient import compact, text_of
from gitsession.agents.permissions import FIELDS
from gitsession.agents.rows import OutRow, Repairs, lighten, load, new_row, without
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Record, Sidecar
from gitsession.model.session import Session

NEVER = frozenset(
    (
        "agent-setting", "artifact-autoreact-ledger", "artifact-comment-monitor", "atis-latch",
        "bridge-session", "continued-in", "dev-mods", "ended-by-model", "isolation-latch",
        "memory-mode", "mode", "permission-mode", "relocated", "repl-mode", "resume-head-vouch",
        "session-owner", "worktree-state",
    )
)  # fmt: skip
"""Rows that would set the agent's behaviour, tie it to another machine or account, or say where the
old session continued or ended."""

_STREAM = re.compile(r"subagents(?:/[0-9A-Za-z_][0-9A-Za-z_-]{0,63}){1,3}")
_META = re.compile(r"subagents(?:/[0-9A-Za-z_][0-9A-Za-z_-]{0,63}){0,2}/agent-[0-9A-Za-z_-]{1,64}"
                   r"\.meta\.json")  # fmt: skip
_OUTPUT = re.compile(r"tool-results/[0-9A-Za-z][0-9A-Za-z._-]{0,150}")
_TASK = re.compile(r"tasks/[0-9]{1,9}\.json")
_TODO = re.compile(r"todos/agent-([0-9A-Za-z-]{1,64})\.json")
_SPILLED = re.compile(
    r'(?<![^\s":(])(/[^"\s<>\\]*?/' + UUID + r")/(tool-results/[0-9A-Za-z._-]+)",
    re.IGNORECASE,
)


def write(session: Session, target: Target, environment: Environment) -> Written:
    """Return bytes and write no file. Raises SourceUnreadable if there is no conversation."""
    native_id = target.native_id or str(uuid.uuid4())
    top = home(environment)
    folder = top / "projects" / folder_name(os.path.realpath(target.cwd))
    writer = _Writer(session, target, native_id, folder)
    files: dict[Path, bytes] = {}
    for stream in session.streams:
        if _STREAM.fullmatch(stream.name):
            way, _, agent = stream.name.rpartition("/")
            path = folder / native_id / way / f"agent-{agent}.jsonl"
            files[path] = writer.render(writer.rows(stream.records))
    for sidecar in session.sidecars:
        place = _place(sidecar, native_id, top, folder / native_id, foreign=target.foreign)
        if place is not None:
            files[place] = shared_meta(sidecar) if target.foreign else sidecar.data
    main = folder / f"{native_id}.jsonl"
    files[main] = writer.main(session.stream().records)
    return Written(native_id, main, files, writer.repairs.texts())


class _Writer:
    """What all streams of one session share on the way out."""

    def __init__(self, session: Session, target: Target, native_id: str, folder: Path) -> None:
        self.repairs = Repairs()
        self._target, self._native_id = target, native_id
        self._old_cwd, self._folder = session.info.cwd, folder
        self._outputs = {s.path for s in session.sidecars if _OUTPUT.fullmatch(s.path)}

    def rows(self, records: Iterable[Record]) -> list[OutRow]:
        rows = load(records, self.repairs)
        gone = [row for row in rows if text_of(row.row.get("type")) in NEVER]
        rows = without(rows, gone)
        if self._target.foreign:
            rows = strip(rows, self.repairs)
        lighten(rows, self.repairs)
        for row in rows:
            self._rename(row)
        return repair(rows, self._native_id, self.repairs)

    def main(self, records: Iterable[Record]) -> bytes:
        rows = self.rows(records)
        if is_subagents(row.row for row in rows):
            for row in rows:  # the agent does not continue a side conversation
                row.set("isSidechain", False)
                row.drop("agentId")
        if not any(row.row.get("type") in CONVERSATION for row in rows):
            raise SourceUnreadable(
                "this version contains no conversation to continue",
                hint="choose a later version",
            )
        if self._target.title:
            title = {"type": "custom-title", "customTitle": self._target.title}
            rows.append(new_row({**title, "sessionId": self._native_id}))
        return self.render(rows)

    def render(self, rows: list[OutRow]) -> bytes:
        return b"".join(self._redirect(row.render()) for row in rows)

    def _rename(self, row: OutRow) -> None:
        for key in ("sessionId", "session_id"):
            if isinstance(row.row.get(key), str):
                row.set(key, self._native_id)
        if isinstance(row.row.get("cwd"), str):
            new, foreign = self._target.cwd, self._target.foreign
            row.set("cwd", moved_cwd(row.row["cwd"], self._old_cwd, new, foreign=foreign))
        if isinstance(row.row.get("entrypoint"), str):
            row.set("entrypoint", "cli")  # the agent's list hides sessions that a script started
        row.drop_all(FIELDS)

    def _redirect(self, line: bytes) -> bytes:
        """Redirect paths of spilled outputs to the copies written with the session."""
        if b"/tool-results/" not in line or not self._outputs:
            return line
        here = compact(str(self._folder / self._native_id))[1:-1]

        def lead(match: re.Match[str]) -> str:
            return f"{here}/{match[2]}" if match[2] in self._outputs else match[0]

        return _SPILLED.sub(lead, line.decode()).encode()


def _place(
    sidecar: Sidecar, native_id: str, top: Path, folder: Path, *, foreign: bool
) -> Path | None:
    """Return where a sidecar belongs under the new id; None for one that is not on the list."""
    path = sidecar.path
    kind, _, name = path.partition("/")
    if _OUTPUT.fullmatch(path) or _META.fullmatch(path):
        return folder / path
    if foreign:
        return None
    if kind == "file-history" and re.fullmatch(BACKUP, name):
        return top / "file-history" / native_id / name
    if _TASK.fullmatch(path):
        return top / "tasks" / native_id / name
    todo = _TODO.fullmatch(path)
    if todo:
        agent = native_id if todo[1] == "main" else todo[1]
        return top / "todos" / f"{native_id}-agent-{agent}.json"
    return None
