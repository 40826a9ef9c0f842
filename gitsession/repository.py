"""class Repository: every verb is one straight line over the rooms below. Start reading here.

Operations are imported on use, because `log` and `list` must not load what `save` needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gitsession import operations as work
from gitsession.config import load_config, load_key
from gitsession.errors import NotFound
from gitsession.model.history import HEADS, TAGS
from gitsession.operations.verbs.care import CareVerbs
from gitsession.operations.verbs.context import ContextVerbs
from gitsession.operations.verbs.event import EventVerbs
from gitsession.operations.verbs.search import SearchVerbs
from gitsession.operations.verbs.secret import SecretVerbs
from gitsession.operations.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO, Any

    from gitsession.agents.base import Source
    from gitsession.environment import Environment
    from gitsession.model.diff import SessionDiff
    from gitsession.model.finding import Finding
    from gitsession.model.history import Version
    from gitsession.model.listed import SessionRow
    from gitsession.model.message import Message
    from gitsession.model.report import Checkout, PushPlan, Saved, SaveReport, Status, Transfer
    from gitsession.model.session import Session
    from gitsession.operations.hooking.hook_call import HookCall
    from gitsession.operations.saving.save import Progress
    from gitsession.store.revisions import Resolved


class Repository(CareVerbs, ContextVerbs, EventVerbs, SearchVerbs, SecretVerbs):
    """The sessions of one user, in one store, seen from one directory.

    Open one with `gitsession.open()`. Methods raise the exceptions of `gitsession.errors` and never
    print. A revision is a string as on the command line: `HEAD~2`, `@1`, an id, a branch …
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._store = workspace.store

    @property
    def store_path(self) -> Path:
        return self._store.path

    @property
    def notices(self) -> Sequence[str]:
        """What was repaired along the way: locks and leftovers of killed processes."""
        return tuple(dict.fromkeys(self._store.notices))

    # Record

    def save(
        self,
        names: Sequence[str] = (),
        *,
        agent: str = "",
        message: str = "",
        everything: bool = False,
        auto: bool = False,
        single: bool = False,
        dry_run: bool = False,
        scan: bool = False,
        progress: Progress | None = None,
    ) -> SaveReport:
        """Save what is new in this directory's newest session, in the named sessions, or in all."""
        wishes = work.grown.Wishes(
            message, auto, single, dry_run, bool(names), keep_head=everything, scan=scan
        )
        sources = work.sources.find_sources(
            self._workspace.environment, tuple(names), agent, everything
        )
        return work.save.save_sources(self._workspace, sources, wishes, progress)

    def serve_saves(self, questions: IO[bytes], answers: IO[bytes]) -> None:
        """Save one source after another for a gitsession process with many; see `save.serve`."""
        work.save.serve(self._workspace, questions, answers)

    def import_files(
        self,
        paths: Iterable[str | Path],
        *,
        format: str = "",
        single: bool = False,
        message: str = "",
        progress: Progress | None = None,
    ) -> SaveReport:
        """Save from files and folders: native transcripts and exports."""
        wishes = work.grown.Wishes(message, single=single, named=True, given=True)
        sources = work.sources.files_as_sources(map(str, paths), format)
        return work.save.save_sources(self._workspace, sources, wishes, progress)

    def save_source(self, source: Source, *, message: str = "") -> SaveReport:
        """Save one source that a program built itself, such as a session in memory."""
        return work.save.save_sources(
            self._workspace, [source], work.grown.Wishes(message, named=True)
        )

    def save_call(self, call: HookCall) -> Saved:
        """Save the session for which an agent's hook was called; see `operations.automatic`."""
        return work.automatic.save_call(self._workspace, call)

    def watch(self, agents: Sequence[str] = (), **how: Any) -> Iterator[Saved]:
        """Save whatever changes, as hooks would, until the caller stops; see `operations.watch`."""
        return work.watch.watch(self._workspace, tuple(agents), **how)

    def status(self) -> Status:
        """This directory's current session, and what of its native sessions is not saved."""
        return work.status.status(self._workspace)

    def agents(self) -> Sequence[Any]:
        """Every known agent: where its sessions are, how many, and what can be done with it."""
        return work.status.agent_rows(self._workspace)

    # Look

    def resolve(self, revision: str = "HEAD", *, whole: bool = False) -> Resolved:
        """Resolve a revision to one version, or to a message in it (unless `whole`)."""
        from gitsession.store import revisions

        return revisions.resolve(self._store, revision, self._workspace.directory, whole=whole)

    def head(self) -> str:
        """This directory's current `<session>/<branch>` (or id), "" if there is none yet."""
        return self._store.head(self._workspace.directory)

    def version(self, revision: str = "HEAD") -> Version:
        return self._store.version(self.resolve(revision, whole=True).commit)

    def list(
        self,
        *,
        everything: bool = False,
        project: str = "",
        agent: str = "",
        search: str = "",
        limit: int = 0,
        archived: bool = False,
        open_only: bool = False,
    ) -> tuple[SessionRow, ...]:
        """Sessions of this project (or `project`, or all), newest first, including the current
        session of this directory. Row numbers can then be used as revisions: `@1` …"""
        place = None if everything else work.projects.Place(self._workspace, project)
        current = "" if project else self.head().partition("/")[0]
        return work.listing.rows(
            self._workspace, place=place, current=current, agent=agent, search=search,
            limit=limit, archived=archived, open_only=open_only,
        )  # fmt: skip

    def log(
        self,
        revision: str = "HEAD",
        *,
        limit: int = 50,
        skip: int = 0,
        grep: str = "",
        graph: bool = False,
    ) -> Sequence[Version]:
        """Versions reachable from `revision`, newest first. `A..B` means those of B that A does not
        have; `graph` includes every branch of the session."""
        return work.history.log(self._workspace, revision, limit, skip, grep, graph)

    def graph_refs(self, versions: Iterable[Version]) -> Mapping[str, Sequence[str]]:
        """The names of the branches and tags at each of these versions, by version id."""
        return work.history.decorations(self._workspace, {version.id for version in versions})

    def session(self, revision: str = "HEAD", stream: str = "") -> Session:
        """The Session at a version, with its messages: for `REV:N` the first N, for a subagent's
        `stream` only that stream."""
        return work.sides.of_revision(self._workspace, self.resolve(revision), stream)

    def message(self, revision: str, number: int, stream: str = "") -> Message:
        return work.show.message(self.session(revision, stream), number)

    def findings(self, revision: str = "HEAD") -> Sequence[Finding]:
        """What is masked in a version: rules, places and placeholders, never values."""
        return work.show.findings(self._store.tree(self.resolve(revision, whole=True).commit))

    def diff(self, old: str = "", new: str = "") -> tuple[SessionDiff, str]:
        """What changed, and a description of what was compared. One revision is compared with the
        present, unsaved changes included; with none, what is unsaved, or else the last turn."""
        return work.difference.diff(self._workspace, old, new)

    # Move

    def branches(self, session: str = "", *, remotes: bool = False) -> Sequence[Any]:
        return work.branches.list_branches(self._workspace, session, remotes=remotes)

    def create_branch(self, name: str, revision: str = "HEAD", *, move: bool = False) -> str:
        """Create a branch at a version or after a message (`REV:N`); return its full name."""
        return work.branches.create(self._workspace, name, self.resolve(revision), move=move)

    def delete_branch(self, name: str) -> None:
        work.branches.delete(self._workspace, self._full(name, HEADS))

    def rename_branch(self, old: str, new: str) -> str:
        return work.branches.rename(self._workspace, self._full(old, HEADS), new)

    def tags(self, session: str = "") -> Sequence[Any]:
        return work.tags.list_tags(self._workspace, session)

    def create_tag(
        self, name: str, revision: str = "HEAD", *, message: str = "", key: bool = False
    ) -> str:
        """Mark a key decision at a version or message; return the tag's full name."""
        return work.tags.create(
            self._workspace, name, self.resolve(revision), message=message, key=key
        )  # fmt: skip

    def delete_tag(self, name: str) -> None:
        work.tags.delete(self._workspace, self._full(name, TAGS))

    def _full(self, name: str, prefix: str) -> str:
        """Expand a short name to `<session>/<name>`. Raises NotFound without a current session."""
        if "/" in name:
            return name
        session = self.head().partition("/")[0]
        if not session:
            raise NotFound("there is no current session here", hint="write SESSION/NAME")
        del prefix
        return f"{session}/{name}"

    def checkout(
        self,
        revision: str = "HEAD",
        *,
        branch: str = "",
        take_over: bool = False,
        project: str = "",
        trust: bool = False,
        reveal: bool = False,
        budget: int = 0,
        strategy: str = "default",
        to: str = "",
        dry_run: bool = False,
        files: bool = False,
        force: bool = False,
        strict: bool = False,
        system_prompt: str = "",
        fallback: bool = False,
    ) -> Checkout:
        """Roll the conversation back: a new native session at that version, on its own branch.

        With `files` the project's files go back too, unless one was edited since (`force`
        overrides). `strict` raises Conflict if the `system_prompt` or the instruction files are not
        those of that version. `fallback` takes the last good version before a damaged one.
        """
        if revision == "-":
            revision = work.previous.head(self._workspace)
        found = self.good(revision) if fallback else self.resolve(revision)
        saved = () if dry_run else work.unsaved.save_first(self._workspace, self.head())
        if found.ref.startswith(HEADS):  # by name: its tip, which has just advanced
            found = self.resolve(revision)
        wishes = work.checkout.Wishes(
            branch, take_over, project, trust, dry_run, reveal, budget, strategy, to,
            strict=strict, system_prompt=system_prompt,
        )  # fmt: skip
        if files:
            return work.file_checkout.run(self._workspace, found, wishes, saved, force=force)
        return work.checkout.checkout(self._workspace, found, wishes, saved)

    def checkout_raw(self, revision: str, target: str) -> Sequence[str]:
        """Write the stored native bytes to a new file, or (if `target` ends with a slash) all
        streams and sidecars to a folder; return the paths written."""
        tree = work.raw.stored_tree(self._workspace, self.resolve(revision, whole=True))
        return work.raw.write(self._workspace, tree, target)

    def clean_checkout(self, revision: str = "HEAD", *, dry_run: bool = False) -> Mapping[str, Any]:
        """Remove a native session that a checkout made and no agent used, with its branch."""
        branch = self.resolve(revision, whole=True).branch
        return work.clean.clean(self._workspace, branch, dry_run=dry_run)

    def check_resume(
        self, revision: str, *, any_project: bool = False, trust: bool = False
    ) -> None:
        """Raise Conflict if a resume needs consent: a foreign or another project's session."""
        found = self.resolve(revision)
        version = self._store.version(found.commit)
        session = found.branch.partition("/")[0]
        project = work.projects.project_of(self._workspace, session, version.trailers)
        belongs = work.projects.Place(self._workspace).among([project])
        work.resume.check(
            self._workspace, version, belongs,
            project=project, any_project=any_project, trust=trust,
        )  # fmt: skip

    def newest_session(self) -> str:
        """The session that `resume latest` refers to."""
        rows = self.list(everything=True)
        belongs = work.projects.Place(self._workspace).among(row.project for row in rows)
        return work.resume.newest(rows, belongs, self.head().partition("/")[0])

    def rename(self, session: str, title: str) -> str:
        return work.sessions.rename(self._workspace, self._session(session), title)

    def archive(self, session: str, *, undo: bool = False) -> str:
        """Leave a session out of `list`, or with `undo` list it again; return its name."""
        return work.sessions.archive(self._workspace, self._session(session), undo)

    def relink(self, sessions: Sequence[str], folder: str = "") -> tuple[Sequence[str], str]:
        """Move sessions to the project of a folder (this directory if ""); return their names and
        the project's id."""
        names = [self._session(session) for session in sessions]
        return names, work.relink.relink(self._workspace, names, folder)

    def children(self, session: str) -> tuple[str, ...]:
        """The sessions that originated in this one (subagents, forks made by the agent)."""
        return work.children.children(self._workspace, session)

    def delete(self, session: str, *, purge: bool = False) -> tuple[str, ...]:
        """Move a session's refs to the operation log; return where copies of it remain."""
        return work.sessions.delete(self._workspace, self._session(session), purge)

    def exclude(self, what: str, *, undo: bool = False) -> str:
        return work.sessions.exclude(self._workspace, what, undo)

    def _session(self, revision: str) -> str:
        """The session's name in a revision: `@1`, a prefix, `<session>/<branch>` …"""
        found = self.resolve(revision)
        if not found.branch or found.message:
            raise NotFound("no session has that name", hint="`gitsession list` shows their names")
        return found.branch.partition("/")[0]

    def at_operation(self, number: int) -> Repository:
        """A read-only Repository with refs and HEADs as they were after a logged operation."""
        return Repository(work.past_operation.at(self._workspace, number))

    # Share

    def remotes(self) -> Sequence[Any]:
        return work.share.remotes(self._workspace)

    def add_remote(self, name: str, url: str) -> None:
        work.share.add_remote(self._workspace, name, url)

    def remove_remote(self, name: str) -> None:
        work.share.remove_remote(self._workspace, name)

    def plan_push(self, remote: str = "", sessions: Sequence[str] = (), **wishes: Any) -> PushPlan:
        """What a push would send, and whether the guard allows it; nothing is sent yet."""
        return work.share.plan_push(self._workspace, remote, tuple(sessions), **wishes)

    def push(self, plan: PushPlan, allow: tuple[str, ...] = ()) -> Transfer:
        return work.share.push(self._workspace, plan, allow)

    def fetch(self, remote: str = "") -> Transfer:
        return work.share.fetch(self._workspace, remote)

    def pull(self, remote: str = "") -> Transfer:
        return work.share.pull(self._workspace, remote)

    # Care

    def export(
        self, revision: str = "HEAD", format: str = "md", *, full: bool = False
    ) -> bytes | str:
        """Export one version (`REV:N`: up to message N) as md, html, json or native, redacted by
        construction. `full` leaves nothing out of md: neither thinking nor parts of tool calls."""
        return work.export.export(self._workspace, self.resolve(revision), format, full=full)

    def close(self) -> None:
        """End the child process that reads packed objects, if one runs."""
        self._store.close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_repository(
    environment: Environment, *, store: Path | None = None, create: bool = True
) -> Repository:
    """Open the store named by `--store`, GITSESSION_DIR, this project's binding or the default.

    With `create` a missing store is created. Raises StoreNotFound, FormatError.
    """
    config = load_config(environment)
    path = work.place.store_path(environment, config, store)
    if not create:
        work.place.must_exist(path)
    elif not os.path.exists(path):
        config = work.place.with_author(environment, config)
    key = load_key(environment, config)
    opened = work.place.open_store(path, key, environment, config, create=create)
    return Repository(Workspace(opened, environment, config, key))
