"""Makes OpenCode sessions for tests: as an export document and as rows of its database."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

OPENCODE_ID = "ses_dd745f1f0ffeny1hbVdfgwAlv1"
_START = 1_769_860_800_000
_SESSION_COLUMNS = (
    "id, project_id, workspace_id, parent_id, slug, directory, path, title, version, share_url,"
    " summary_additions, summary_deletions, summary_files, summary_diffs, metadata, cost,"
    " tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write, revert,"
    " permission, agent, model, time_created, time_updated, time_compacting, time_archived"
)
SECRET = "tok_never_read_this_0123456789"


class OpenCode:
    """A session whose ids ascend with time."""

    version, mode = "1.18.33", "build"
    tables = ""
    """Those that only this program has."""

    def __init__(self, session_id: str = OPENCODE_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd, self._count = session_id, cwd, 0
        self.messages: list[dict[str, Any]] = []
        self.more: dict[str, Any] = {}
        self.title = ""
        self.todos: list[tuple[str, str]] = []

    def _new(self, kind: str) -> tuple[str, int]:
        self._count += 1
        moment = _START + self._count * 1000
        return f"{kind}_{moment * 0x1000 & (1 << 48) - 1:012x}{self._count:014}", moment

    def message(self, info: dict[str, Any], *parts: dict[str, Any]) -> OpenCode:
        name, moment = self._new("msg")
        mine = {"id": name, "sessionID": self.session_id}
        info = {"time": {"created": moment}, **info, **mine}
        links = {"sessionID": self.session_id, "messageID": name}
        made = [{**part, "id": self._new("prt")[0], **links} for part in parts]
        self.messages.append({"info": info, "parts": made})
        return self

    def user(self, *parts: dict[str, Any], **info: Any) -> OpenCode:
        model = {"providerID": "fake", "modelID": "fake-model"}
        return self.message({"role": "user", "agent": self.mode, "model": model, **info}, *parts)

    def ask(self, text: str) -> OpenCode:
        return self.user({"type": "text", "text": text})

    def assistant(self, finish: str, *parts: dict[str, Any], **info: Any) -> OpenCode:
        tokens = {"input": 100, "output": 10, "reasoning": 0, "cache": {"read": 5, "write": 0}}
        parent = next((m["info"]["id"] for m in reversed(self.messages)
                       if m["info"]["role"] == "user"), "")  # fmt: skip
        return self.message(
            {"role": "assistant", "parentID": parent, "mode": self.mode, "agent": self.mode,
             "path": {"cwd": self.cwd, "root": self.cwd}, "cost": 0, "tokens": tokens,
             "modelID": "fake-model", "providerID": "fake", "finish": finish, **info},
            *parts,
        )  # fmt: skip

    def turn(self, n: int) -> OpenCode:
        self.ask(f"question {n}")
        self.assistant("tool-calls", {"type": "step-start"}, tool(f"call{n}", "bash",
                       {"command": "ls"}, "a.py\n", metadata={"exit": 0}))  # fmt: skip
        return self.assistant(
            "stop", {"type": "text", "text": f"answer to question {n}"},
            {"type": "step-finish", "reason": "stop"},
        )  # fmt: skip

    def info(self) -> dict[str, Any]:
        return {"id": self.session_id, "slug": "crisp-orchid", "projectID": "global",
                "directory": self.cwd, "title": self.title, "version": self.version,
                "time": {"created": _START, "updated": _START},
                **self.more}  # fmt: skip

    @property
    def export(self) -> bytes:
        value = {"info": self.info(), "messages": self.messages}
        return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"

    def save(self, path: Path) -> Path:
        """Rows in a database in WAL mode; what was there of this session goes first."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            create(connection)
            connection.executescript(self.tables)
            self.insert(connection)
        connection.close()
        return path

    def insert(self, connection: sqlite3.Connection) -> None:
        for table in ("part", "message", "todo"):
            connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (self.session_id,))
        connection.execute("DELETE FROM session WHERE id = ?", (self.session_id,))
        info = self.info()
        row = dict.fromkeys(_SESSION_COLUMNS.replace(",", "").split())
        row |= {"id": self.session_id, "project_id": "global", "slug": info["slug"],
                "directory": self.cwd, "title": self.title, "version": self.version, "cost": 0,
                "parent_id": self.more.get("parentID"), "time_created": _START,
                "time_updated": info["time"]["updated"]}  # fmt: skip
        if "revert" in self.more:
            row["revert"] = compact(self.more["revert"])
        names = ", ".join(row)
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO session ({names}) VALUES ({marks})", list(row.values()))
        for message in self.messages:
            info, moment = message["info"], message["info"]["time"]["created"]
            data = {k: v for k, v in info.items() if k not in ("id", "sessionID")}
            values = (info["id"], self.session_id, moment, moment, compact(data))
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", values)
            for part in message["parts"]:
                data = {k: v for k, v in part.items() if k not in ("id", "sessionID", "messageID")}
                values = (part["id"], info["id"], self.session_id, moment, moment, compact(data))
                connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", values)
        for position, (text, status) in enumerate(self.todos):
            connection.execute("INSERT INTO todo VALUES (?, ?, ?, 'high', ?, 0, 0)",
                               (self.session_id, text, status, position))  # fmt: skip


class Kilo(OpenCode):
    """The same in a program that grew out of it."""

    version, mode = "7.7.7", "code"
    tables = "CREATE TABLE IF NOT EXISTS kilo_board (root_session_id, objective);"


def create(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"""
        CREATE TABLE IF NOT EXISTS session ({_SESSION_COLUMNS});
        CREATE TABLE IF NOT EXISTS message (id, session_id, time_created, time_updated, data);
        CREATE TABLE IF NOT EXISTS part
            (id, message_id, session_id, time_created, time_updated, data);
        CREATE TABLE IF NOT EXISTS todo
            (session_id, content, status, priority, position, time_created, time_updated);
        CREATE TABLE IF NOT EXISTS credential (id, value);
        CREATE TABLE IF NOT EXISTS account (id, access_token, refresh_token);
        CREATE TABLE IF NOT EXISTS session_share (session_id, id, secret, url);
        DELETE FROM credential; DELETE FROM account; DELETE FROM session_share;
        INSERT INTO credential VALUES ('1', '{SECRET}');
        INSERT INTO account VALUES ('1', '{SECRET}', '{SECRET}');
        INSERT INTO session_share VALUES ('{OPENCODE_ID}', '1', '{SECRET}', 'https://x.test');
        """
    )


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tool(
    call_id: str, name: str, given: dict[str, Any], output: str = "", **state: Any
) -> dict[str, Any]:
    told = {"status": "completed", "input": given, "output": output, "title": name,
            "metadata": {}, "time": {"start": _START, "end": _START}, **state}  # fmt: skip
    return {"type": "tool", "tool": name, "callID": call_id, "state": told}


def grown(turns: int, kind: type[OpenCode] = OpenCode) -> OpenCode:
    session = kind()
    for n in range(1, turns + 1):
        session.turn(n)
    return session


def taken_in(written: Path, database: Path) -> OpenCode:
    """What `opencode import` makes of a file: rows of the database, without what it does not know;
    further turns come after what is there."""
    value = json.loads(written.read_text())
    session = OpenCode(value["info"]["id"], value["info"]["directory"])
    session.title = value["info"]["title"]
    session.messages = [
        {"info": {key: info[key] for key in sorted(info)}, "parts": message["parts"]}
        for message in value["messages"]
        for info in [message["info"]]
    ]
    session.save(database)
    newest = max(message["info"]["time"]["created"] for message in session.messages)
    session._count = max(0, (newest - _START) // 1000) + 1000
    return session
