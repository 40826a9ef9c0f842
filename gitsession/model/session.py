"""A Session: metadata, streams of records, sidecars, project files and working state.

The same class serves for a whole session and for a *continuation* (one more turn): then `streams`
hold only the new records and start where the previous version ended, while `info`, `state`,
`counts` and `carry` describe the session up to and including this turn.
"""

from __future__ import annotations

from collections import namedtuple

from gitsession.model.record import Stream
from gitsession.model.usage import Usage

TURN_KINDS = ("turn", "open", "interrupted", "compaction", "rewrite", "import")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    from gitsession.model.message import Message
    from gitsession.model.record import File, Sidecar

    class Info(NamedTuple):
        agent: str
        native_id: str
        identity: str = ""
        title: str = ""
        cwd: str = ""
        created: str = ""
        updated: str = ""
        models: tuple[str, ...] = ()
        agent_version: str = ""
        git_branch: str = ""
        parent: str = ""
        roots: tuple[str, ...] = ()
        project: str = ""
        code: str = ""
        changed_from: str = ""

    class Todo(NamedTuple):
        text: str
        status: str
        id: str = ""

    class State(NamedTuple):
        todos: tuple[Todo, ...] = ()
        active_file: str = ""
        active_line: int | None = None
        last_command: str = ""
        exit_code: int | None = None
        output_snippet: str = ""
        tools: tuple[str, ...] = ()
        memory: tuple[str, ...] = ()
        markers: tuple[Mapping[str, object], ...] = ()
        analysis: Mapping[str, object] = {}
        prompt_hash: str = ""

    class Counts(NamedTuple):
        turns: int = 0
        records: int = 0
        messages: int = 0
        bytes: int = 0
        damaged: int = 0
        foreign: int = 0
        compactions: int = 0

    class Turn(NamedTuple):
        kind: str = "turn"
        prompt: str = ""
        time: str = ""
        finished: bool = True
        messages: int = 0
        rewound: bool = False
        title: str = ""

    class _Session(NamedTuple):
        info: Info
        streams: tuple[Stream, ...] = ()
        sidecars: tuple[Sidecar, ...] = ()
        files: tuple[File, ...] = ()
        state: State = State()
        usage: Usage = Usage()
        counts: Counts = Counts()
        carry: Mapping[str, object] = {}
        turn: Turn | None = None
        messages: tuple[Message, ...] = ()
        instructions: tuple[File, ...] = ()
        originals: tuple[File, ...] = ()
else:
    # Named tuples, as in `model.history`: a save creates all of these and must start fast.
    Info = namedtuple(
        "Info",
        "agent native_id identity title cwd created updated models agent_version git_branch"
        " parent roots project code changed_from",
        defaults=("", "", "", "", "", (), "", "", "", (), "", "", ""),
    )
    Info.__doc__ = """A session's metadata. Times are ISO-8601 UTC with Z, or "" if not known.

    `identity` is the `<agent>/<native id>` of the very first save, the same in all forks and
    conversions; "" until the store knows it. `native_id` is the session that this line continues.
    `parent` is the native id of the session from which the agent itself forked this one.
    `roots` lists every distinct working directory the records name, `cwd` first.
    `code` is the commit that was checked out in the code repository. `changed_from` names a commit
    if all files that differ from it were captured: every other file was as in that commit.
    """
    Todo = namedtuple("Todo", "text status id", defaults=("",))
    Todo.__doc__ = "One task: `status` is pending, in_progress, completed or the agent's own word."
    State = namedtuple(
        "State",
        "todos active_file active_line last_command exit_code output_snippet tools memory markers"
        " analysis prompt_hash",
        defaults=((), "", None, "", None, "", (), (), (), {}, ""),
    )
    State.__doc__ = """The working state at the end of the turn, as far as the transcript shows it.

    `prompt_hash` is the SHA-256 (hex) of the system prompt in force, "" if it is not known."""
    Counts = namedtuple(
        "Counts",
        "turns records messages bytes damaged foreign compactions",
        defaults=(0, 0, 0, 0, 0, 0, 0),
    )
    Counts.__doc__ = """Running totals up to the end of the turn, even one that is still open.
    `bytes` counts the native bytes of all streams."""
    Turn = namedtuple(
        "Turn",
        "kind prompt time finished messages rewound title",
        defaults=("turn", "", "", True, 0, False, ""),
    )
    Turn.__doc__ = """The turn that a continuation holds.

    `finished` turns become versions; an unfinished one (kind `open`) goes to wip or is saved as
    an open version. `prompt` is what the user asked, one or more lines, "" if nothing was asked.
    `time` is that of its newest record. `messages` counts its conversation records: zero means
    that it holds only metadata. `rewound` says that the user went back in the conversation to
    before the previous turn: the version before this turn is a tip left behind.
    `title` names the version instead of the prompt (`save -m`).
    """
    _Session = namedtuple(
        "_Session",
        "info streams sidecars files state usage counts carry turn messages instructions originals",
        defaults=((), (), (), State(), Usage(), Counts(), {}, None, (), (), ()),
    )


class Session(_Session):
    """A whole session or a continuation; see the module's docstring. `carry` is JSON-able and
    private to the adapter: what it must remember between two saves (never more than a few KB).
    `messages` is filled by `Repository.session`, through the adapter. `originals` are the contents,
    in the commit `info.changed_from`, of files that were changed since."""

    __slots__ = ()

    def stream(self, name: str = "main") -> Stream:
        """Return the stream of that name, or an empty one at position 0 if there is none."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        return Stream(name)
