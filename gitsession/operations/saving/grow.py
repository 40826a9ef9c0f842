"""Turn one native session into versions: read, redact, encode, commit, turn by turn, then the refs.

This is the save path. Only one turn travels at a time; what the whole session needs is carried in
the head of the newest finished version. Nothing is visible before the refs have moved.
"""

from __future__ import annotations

from gitsession.agents.base import native_length
from gitsession.model.history import HEADS, WIP, Version
from gitsession.model.session import Info, Session, Turn
from gitsession.operations.saving import attach, bindings, heads
from gitsession.operations.saving.grown import Grown
from gitsession.operations.saving.line import Line, has_records, is_open_tip
from gitsession.snapshot.encoding import encode
from gitsession.snapshot.head import Head
from gitsession.store.history import split_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.agents.base import Agent, Source
    from gitsession.model.encoded import Encoded
    from gitsession.model.finding import Clean, Redacted
    from gitsession.operations.saving.capture import Capture
    from gitsession.operations.saving.grown import Wishes
    from gitsession.operations.saving.past import Past
    from gitsession.operations.workspace import Workspace
    from gitsession.project import Project
    from gitsession.redaction import Redactor
    from gitsession.store.transaction import Transaction
    from gitsession.store.writer import Writer

BULK_BYTES = 512 << 10
"""Above this many unread bytes, versions are written as one pack instead of loose objects."""
MUCH_BYTES = 2 << 20
"""Above this many, a second process is worth the cost of starting it."""
_HELD = 16 << 20
"""A source up to this size is read once and kept in memory: learn from it first, then write."""


class Growth:
    """The growth of one line by what its source holds beyond it."""

    def __init__(
        self, workspace: Workspace, agent: Agent, source: Source, line: Line, past: Past
    ) -> None:
        self._workspace = workspace
        self._agent = agent
        self._source = source
        self._line = line
        self._past = past
        self._redactor: Redactor = workspace.redactor(source.cwd)
        self._learned = False
        self._places: dict[str, tuple[Project, str]] = {}
        self._held: list[Session] = []
        self._capture: Capture | None = None
        self._grown = Grown(line, self._start())
        if past.since is None:
            self._grown.tree = ""
        self._published = line.tip
        self._left_published = 0
        self._title = line.head.session.info.title if line.head else ""

    def _start(self) -> Head | None:
        """Return the head to build on: the stored one, or an empty one with the number."""
        line, since = self._line, self._past.since
        if self._past.kind == "anew":
            from gitsession.operations.saving import anew

            return anew.head(self._workspace, line.base, line.number)
        if since is not None and line.head is not None:
            return line.head._replace(session=since, number=line.number)
        if not line.number:
            return None
        info = Info(self._source.agent, self._source.native_id)
        return Head(Session(info), number=line.number)

    def run(self, wishes: Wishes) -> Grown:
        """Write what is new. Raises SourceUnreadable, RedactionFailed, StoreBusy, Conflict."""
        store = self._workspace.store
        unread, may_fork = self._unread(), self._workspace.environment.may_fork
        much = may_fork and unread > MUCH_BYTES
        with store.writer(bulk=unread > BULK_BYTES, much=much) as writer:
            if self._past.kind == "anew":
                from gitsession.operations.saving import anew

                self._grown.tree = anew.tree(self._workspace, self._line.base, writer)
            for part, fate in self._fates(wishes):
                self._write(writer, part, fate)
                if writer.full:
                    writer.flush()
                    self._publish(wishes)
            writer.flush()
            self._publish(wishes)
        if self._capture is not None:
            self._capture.remember()
        return self._grown

    def write_again(self) -> None:
        """Write every object of this history as a first save would; no ref moves, and existing
        objects are not written again. For a store that has lost some."""
        from gitsession.operations.saving.grown import Wishes

        with self._workspace.store.writer() as writer:
            for part, fate in self._fates(Wishes(keep_head=True)):
                self._write(writer, part, fate)

    def _write(self, writer: Writer, part: Session, fate: str) -> None:
        redacted = self._redact(part)
        if fate == "fold":
            self._fold(writer, redacted)
        elif fate == "wip":
            self._keep_open(writer, redacted)
        else:
            self._commit(writer, redacted)

    def preview(self, wishes: Wishes) -> Grown:
        """Do the same without writing a byte: find out what would be saved and masked."""
        for part, fate in self._fates(wishes):
            redacted = self._redact(part)
            encoded, head = self._encode(redacted)
            if fate == "version" and not self._shows(part, wishes):
                subject, _, trailers = split_message(encoded.message)
                self._grown.add(Version("", "", (), encoded.time, subject, trailers, ""))
            self._advance(head if fate in ("version", "fold") else None, redacted)
        return self._grown

    def _shows(self, part: Session, wishes: Wishes) -> bool:
        """Whether the open tip already shows what would be written."""
        if wishes.message or self._grown.made or part.turn is None or part.turn.finished:
            return False
        return is_open_tip(self._workspace, self._line, part)

    def _unread(self) -> int:
        since = self._past.since
        try:
            length = native_length(self._agent, self._source)
        except OSError:
            return 0
        return length - (since.stream("main").offset if since else 0)

    def _learn(self) -> None:
        """Teach the scanner: a first save knows every value before it writes the first blob, a
        later one recalls them."""
        since = self._past.since
        if since is None:
            if self._held:
                self._redactor.learn_all(self._held, self._workspace.environment.may_fork)
                return
            for part in self._agent.read(self._source, None):
                self._redactor.learn(part)
        else:
            bindings.recall(
                self._workspace, self._redactor, self._line, since, self._agent, self._source
            )
            bindings.precede(self._redactor, since, self._agent, self._source)

    def _fates(self, wishes: Wishes) -> Iterator[tuple[Session, str]]:
        """Yield each new turn with what becomes of it: version, fold (joined to the next) or wip.

        A hook leaves metadata rows after a turn to the next one: they are not worth six objects
        each time. A save by hand keeps them in wip, so that every byte is safe.
        """
        fates: Iterator[tuple[Session, str]] = self._judged(wishes)
        if self._past.kind == "changed" or wishes.single:
            from gitsession.operations.saving.fates import folded

            fates = folded(fates, self._rewrite_kind())
        if wishes.message:
            from gitsession.operations.saving.fates import named

            fates = named(fates, wishes.message)
        if wishes.scan:
            from gitsession.operations.saving import project_scan

            fates = project_scan.add(fates)
        from gitsession.operations.saving.instruction_files import InstructionFiles

        files = InstructionFiles(self._workspace, self._agent, self._source, self._grown)
        fates = files.add(fates)
        if self._workspace.config["capture.files"] != "changed" or wishes.keep_head:
            return fates
        from gitsession.operations.saving.capture import Capture

        self._capture = Capture(self._workspace, self._agent, self._source, self._line, self._grown)
        return self._capture.add(fates)

    def _judged(self, wishes: Wishes) -> Iterator[tuple[Session, str]]:
        exists = bool(self._line.tip)
        for part, is_new in self._parts():
            turn = part.turn or Turn()
            if not has_records(part):
                continue
            if not is_new:
                yield part, "fold"
            elif turn.finished or (turn.messages and not wishes.auto):
                yield part, "version"
                exists = True
            elif turn.messages:
                yield part, "wip"
            elif not wishes.auto:
                # Even a session of metadata alone is one that a person asked to keep.
                yield part, "wip" if exists else "version"

    def _parts(self) -> Iterator[tuple[Session, bool]]:
        """Yield the turns to write, each with whether it is more than what a checkout wrote."""
        parts = self._agent.read(self._source, self._past.since)
        if self._past.since is None and self._unread() <= _HELD:
            parts = iter(self._hold(parts))
        if self._past.kind != "anew":
            yield from ((part, True) for part in parts)
            return
        from gitsession.operations.saving import anew

        if any(is_new for _, is_new in anew.added(self._line.native, parts)):
            parts = self._agent.read(self._source, None)
            yield from anew.added(self._line.native, parts)

    def _hold(self, parts: Iterator[Session]) -> list[Session]:
        self._held = list(parts)
        return self._held

    def _rewrite_kind(self) -> str:
        if self._past.kind != "changed":
            return ""
        return "compaction" if self._past.compaction else "rewrite"

    def _redact(self, part: Session) -> Redacted:
        if not self._learned:  # if nothing is new, no scanner is loaded
            self._learn()
            self._learned = True
        info = part.info
        line_info = self._line.head.session.info if self._line.head else None
        found, code = self._place(info.cwd)
        if self._past.compaction and line_info and not part.carry.get("titled", 1):
            info = info._replace(title=line_info.title)  # its first prompt is not what was asked
        info = info._replace(
            identity=line_info.identity if line_info else f"{info.agent}/{info.native_id}",
            project=found.id,
            code=code,
            changed_from=info.changed_from if self._capture is not None else "",
        )
        part = attach.withhold(self._workspace, part._replace(info=info), found.root)
        return self._redactor.redact(part)

    def _place(self, folder: str) -> tuple[Project, str]:
        """Return the project there and its commit: the same for all turns of one save."""
        if folder not in self._places:
            workspace = self._workspace
            self._places[folder] = workspace.project(folder), workspace.code_commit(folder)
        return self._places[folder]

    def _encode(self, redacted: Redacted) -> tuple[Encoded, Head]:
        return encode(
            redacted,
            self._grown.head,
            self._agent.constants,
            redaction=self._redactor.provenance,
        )

    def _commit(self, writer: Writer, redacted: Redacted) -> None:
        grown, session = self._grown, redacted.session
        turn = session.turn or Turn()
        if not grown.branch:
            grown.branch = self._workspace.new_branch(session)
        if turn.rewound and grown.tip:
            grown.left.append((self._next_rewound(), grown.tip))
        if not turn.finished and self._is_tip(writer, redacted):
            return self._advance(None, redacted)
        encoded, head = self._encode(redacted)
        tree = writer.tree(encoded, grown.tree)
        parents = (grown.tip,) if grown.tip else ()
        grown.tip = writer.commit_tree(encoded, tree, parents)
        subject, _, trailers = split_message(encoded.message)
        grown.add(Version(grown.tip, tree, parents, encoded.time, subject, trailers, ""))
        if turn.finished:
            grown.base, grown.tree = grown.tip, tree
        elif grown.head is not None:
            grown.head = grown.head._replace(number=head.number)
        return self._advance(head if turn.finished else None, redacted)

    def _is_tip(self, writer: Writer, redacted: Redacted) -> bool:
        """Whether the open turn is exactly what an open tip already shows."""
        if not self._line.open_tree or self._grown.tip != self._line.tip:
            return False
        head = self._grown.head
        before = head._replace(number=self._line.number - 1) if head else None
        encoded, _ = encode(
            redacted, before, self._agent.constants, redaction=self._redactor.provenance
        )
        return writer.tree(encoded, self._grown.tree) == self._line.open_tree

    def _fold(self, writer: Writer, redacted: Redacted) -> None:
        """Write a turn into the tree without its own version: the next turn's version shows it."""
        encoded, head = self._encode(redacted)
        self._grown.tree = writer.tree(encoded, self._grown.tree)
        number = self._grown.head.number if self._grown.head else 0
        self._advance(head._replace(number=number), redacted)

    def _keep_open(self, writer: Writer, redacted: Redacted) -> None:
        grown = self._grown
        if not grown.branch:
            grown.branch = self._workspace.new_branch(redacted.session)
        if self._is_tip(writer, redacted):
            return self._advance(None, redacted)
        encoded, _ = self._encode(redacted)
        tree = writer.tree(encoded, grown.tree)
        grown.wip = writer.commit_tree(encoded, tree, (grown.tip,) if grown.tip else ())
        return self._advance(None, redacted)

    def _advance(self, head: Head | None, redacted: Redacted) -> None:
        grown, session = self._grown, redacted.session
        grown.findings.extend(redacted.findings)
        grown.last = session
        grown.count(self._agent, session)
        grown.withheld.extend(
            (file.path, file.reason)
            for file in session.files
            if file.content is None and file.reason != "deleted"
        )
        if head is not None:
            grown.head = head

    def _next_rewound(self) -> str:
        """Return the next `rewound-N`, counting this session's branches and those just made."""
        session = self._grown.branch.partition("/")[0]
        prefix = f"{HEADS}{session}/rewound-"
        refs = self._workspace.store.refs(f"{HEADS}{session}/")
        taken = {int(ref[len(prefix) :]) for ref in refs
                 if ref.startswith(prefix) and ref[len(prefix) :].isdigit()}  # fmt: skip
        taken.update(int(name.rpartition("-")[2]) for name, _ in self._grown.left)
        return f"{session}/rewound-{max(taken, default=0) + 1}"

    def _publish(self, wishes: Wishes) -> None:
        """Move the refs to what is written, then renew the binding and the hint.

        The old value is the one this growth started from: a ref that has moved meanwhile is a
        Conflict, and the caller starts again from what the other save left.
        """
        workspace, grown = self._workspace, self._grown
        if not grown.branch:
            return
        clean = workspace.names.clean
        with workspace.store.transaction("save", workspace.directory, wishes.auto) as change:
            if grown.last is not None and grown.last.info.title != self._title:
                from gitsession.operations.saving import renaming

                renaming.refresh(workspace, change, self._source, self._line, grown)
            if grown.tip != self._published:
                change.move(clean(HEADS + grown.branch), self._published, grown.tip)
            for name, tip in grown.left[self._left_published :]:
                change.move(clean(HEADS + name), "", tip)
            self._move_wip(change, clean(WIP + grown.branch))
            if not wishes.keep_head:
                heads.follow(workspace, change, self._source, self._line, grown, wishes.auto)
        self._published, self._left_published = grown.tip, len(grown.left)
        bindings.remember(workspace, self._agent, self._source, self._line, grown)

    def _move_wip(self, change: Transaction, ref: Clean) -> None:
        """Move wip to the open tail of this save, or delete it once its turn is a version."""
        before = self._workspace.store.ref(ref)
        if self._grown.wip != before:
            change.move(ref, before, self._grown.wip)
            self._grown.wip_moved = bool(self._grown.wip)
