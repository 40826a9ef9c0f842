"""Who and what a Claude Code session is, collected record by record and carried between saves."""

from __future__ import annotations

from gitsession.agents.claude_code.records import Row, is_prompt, model, prompt_text
from gitsession.agents.lenient import Parsed, mapping_of, text_of
from gitsession.agents.running import AGENTS_TITLE, FIRST_PROMPT, SUMMARY, USERS_TITLE, Running
from gitsession.agents.times import utc_time

_TITLES = {"custom-title": ("customTitle", USERS_TITLE), "ai-title": ("aiTitle", AGENTS_TITLE)}


class Facts(Running):
    """The running facts. `messages` counts in file order, rewound ones included."""

    def see(self, data: bytes, seen: Parsed) -> None:
        """Take in one record of the session or of a subagent, valid or damaged."""
        owner = self.parent if self.native_id.startswith("agent-") else self.native_id
        names = (text_of(row.get("sessionId")) for row in seen.objects)
        foreign = any(name and owner and name != owner for name in names)
        self.see_record(data, damaged=bool(seen.damaged), foreign=foreign)

    def see_row(self, row: Row) -> str:
        """Take in one row of the session; return its time ("" if it has none)."""
        time = utc_time(row.get("timestamp"))
        created = self.created or time  # the first time in the file, even if an older one follows
        self.see_time(time)
        self.created = created
        self.version = text_of(row.get("version")) or self.version
        self.branch = text_of(row.get("gitBranch")) or self.branch
        self.see_cwd(text_of(row.get("cwd")))
        self._see_title(row)
        if row.get("type") == "assistant":
            self.see_model(model(row))
        if not self.parent:
            self.parent = self._parent_in(row)
        return time

    def _see_title(self, row: Row) -> None:
        field, rank = _TITLES.get(text_of(row.get("type")), ("", FIRST_PROMPT))
        if field:
            self.see_title(text_of(row.get(field)), rank)
        elif is_prompt(row):
            self.see_title(prompt_text(row), FIRST_PROMPT)

    def see_summary(self, title: str) -> None:
        """Take in a summary of *this* session: old versions also store other sessions' here."""
        self.see_title(title, SUMMARY)

    def _parent_in(self, row: Row) -> str:
        forked = text_of(mapping_of(row.get("forkedFrom")).get("sessionId"))
        if not forked and self.native_id.startswith("agent-"):
            forked = text_of(row.get("sessionId"))
        return forked if forked != self.native_id else ""
