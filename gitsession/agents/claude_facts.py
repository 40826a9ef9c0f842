"""Who and what a Claude Code session is, gathered record by record and carried on between saves."""

from __future__ import annotations

from gitsession.agents.base import first_title
from gitsession.agents.claude_records import Row, is_prompt, model, prompt_text
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.session import Info

_TITLES = {"custom-title": ("customTitle", 3), "ai-title": ("aiTitle", 2)}
_SUMMARY = 1
_MOST_ROOTS = 200


class Facts:
    """The running Info. `rank` says where the title comes from: a later one of at least that rank
    replaces it (0 the first prompt, 1 a summary, 2 the agent's own, 3 the user's)."""

    def __init__(self, native_id: str, since: Info | None, rank: int) -> None:
        info = since or Info("claude-code", native_id)
        self.native_id, self.identity = native_id, info.identity
        self.project, self.code = info.project, info.code
        self.title, self.rank = info.title, rank
        self.cwd, self.created, self.updated = info.cwd, info.created, info.updated
        self.version, self.branch, self.parent = info.agent_version, info.git_branch, info.parent
        self.models = dict.fromkeys(info.models)
        self.roots = dict.fromkeys(info.roots)

    def see(self, row: Row) -> str:
        """Take in one row; gives its time ("" if it has none)."""
        time = utc_time(row.get("timestamp"))
        self.created = self.created or time
        self.updated = max(self.updated, time)
        self.version = text_of(row.get("version")) or self.version
        self.branch = text_of(row.get("gitBranch")) or self.branch
        self._see_place(text_of(row.get("cwd")))
        self._see_title(row)
        if row.get("type") == "assistant" and (name := model(row)):
            self.models[name] = None
        if not self.parent:
            self.parent = self._parent_in(row)
        return time

    def _see_place(self, cwd: str) -> None:
        if not cwd:
            return
        self.cwd = self.cwd or cwd
        if len(self.roots) < _MOST_ROOTS:
            self.roots[cwd] = None

    def _see_title(self, row: Row) -> None:
        field, rank = _TITLES.get(text_of(row.get("type")), ("", 0))
        if field and rank >= self.rank and (title := text_of(row.get(field)).strip()):
            self.title, self.rank = title, rank
        elif self.rank == 0 and is_prompt(row):
            self.title = first_title(self.title, prompt_text(row))

    def see_summary(self, title: str) -> None:
        """A summary of *this* session: old versions also put those of other sessions here."""
        if title.strip() and self.rank <= _SUMMARY:
            self.title, self.rank = title.strip(), _SUMMARY

    def _parent_in(self, row: Row) -> str:
        forked = text_of(mapping_of(row.get("forkedFrom")).get("sessionId"))
        if not forked and self.native_id.startswith("agent-"):
            forked = text_of(row.get("sessionId"))
        return forked if forked != self.native_id else ""

    def info(self) -> Info:
        return Info(
            agent="claude-code",
            native_id=self.native_id,
            identity=self.identity,
            title=self.title,
            cwd=self.cwd,
            created=self.created,
            updated=self.updated,
            models=tuple(self.models),
            agent_version=self.version,
            git_branch=self.branch,
            parent=self.parent,
            roots=tuple(self.roots),
            project=self.project,
            code=self.code,
        )
