"""Head: everything a version records except contents, and its two files `session.yaml` and
`state.yaml`.

The next save continues from it: positions, counts, stream layouts, carry. Reading and writing both
go through plain mappings, so that the YAML and the JSON of a cache hold the same.
"""

from __future__ import annotations

from collections import namedtuple

from gitsession.errors import FormatError
from gitsession.model.record import File, Stream
from gitsession.model.session import Counts, Info, Session, Turn
from gitsession.model.usage import Usage
from gitsession.snapshot.constants import in_force
from gitsession.snapshot.fields import Fields, with_unknown, without_empty
from gitsession.snapshot.limits import CONSTANT_FIELDS, FORMAT, WITHHELD
from gitsession.snapshot.paths import escape_stream, unescape
from gitsession.snapshot.state import state_document, state_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    from gitsession.snapshot.constants import Ranges, Values
    from gitsession.snapshot.fields import Schema

_COUNTS = ("turns", "records", "messages", "bytes", "damaged", "foreign", "compactions")
_TOKENS = ("input", "output", "cache_read", "cache_write")
INFO_TEXTS = (
    "title", "project", "cwd", "created", "updated", "agent_version", "git_branch", "parent",
    "code", "changed_from",
)  # fmt: skip
_STREAM: Schema = dict.fromkeys(("name", "records", "offset", "blobs", "like_main", "constants"))
_SCHEMA: Schema = {
    **dict.fromkeys(
        (
            "format", "agent", "session", "native", "models", "roots", "streams", "carry",
            "withheld", "withheld_more", "parts", *INFO_TEXTS,
        )
    ),
    "counts": dict.fromkeys(_COUNTS),
    "tokens": dict.fromkeys(_TOKENS),
    "turn": dict.fromkeys(("number", "kind", "finished", "prompt", "time", "messages", "rewound")),
    "redaction": dict.fromkeys(("rules", "key")),
}  # fmt: skip


if TYPE_CHECKING:

    class Layout(NamedTuple):
        blobs: int = 0
        constants: Ranges = ()
        like_main: int = 0

    class _Head(NamedTuple):
        session: Session
        number: int = 0
        layouts: Mapping[str, Layout] = {}
        redaction: Mapping[str, str] = {}
        parts: Mapping[str, int] = {}
        withheld_more: int = 0
        unknown: Mapping[str, Any] = {}
else:
    # Named tuples, as in `model.history`: every save creates them and must start fast.
    Layout = namedtuple("Layout", "blobs constants like_main", defaults=(0, (), 0))
    Layout.__doc__ = """The layout of a stream in the tree: its number of turn blobs, and its
    constants by range of blobs.

    `like_main`, if not 0, says that before its first range the stream has the constants in force
    in blob `like_main - 1` of `main`: subagents repeat nearly all of them."""
    _Head = namedtuple(
        "_Head",
        "session number layouts redaction parts withheld_more unknown",
        defaults=(0, {}, {}, {}, 0, {}),
    )


def start_values(layouts: Mapping[str, Layout], stream: str) -> Values:
    """Return the constants that a stream has before its first range."""
    layout = layouts.get(stream, Layout())
    if not layout.like_main or stream == "main" or "main" not in layouts:
        return {}
    return in_force(layouts["main"].constants, layout.like_main - 1, {})


class Head(_Head):
    """Everything a version records except contents.

    In `session`, streams are positions without records, and `files` holds only withheld and deleted
    files. `number` counts the versions of the chain from 1. `redaction` names the rule set and key
    used for this version's new parts. `parts` maps the tree paths of files over 32 MiB to their
    number of parts. `withheld_more` counts withheld files that are not named. `unknown` holds what
    this release cannot interpret and has to write back.
    """

    __slots__ = ()

    def layout(self, stream: str) -> Layout:
        return self.layouts.get(stream, Layout())

    def start(self, stream: str) -> Values:
        """Return the constants that a stream has before its first range."""
        return start_values(self.layouts, stream)

    def state_document(self) -> dict[str, Any]:
        """Return the content of `state.yaml`; empty if there is no such file."""
        return state_document(self.session.state, self.unknown.get("state.yaml", {}))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able mapping from which `from_dict` makes an equal Head."""
        return {"session": head_document(self), "state": self.state_document()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Head:
        """The inverse of `to_dict`. Raises FormatError for anything that `to_dict` does not
        produce."""
        fields = Fields(values, "the cached head")
        return head_from(fields.mapping("session"), fields.mapping("state"))


def head_document(head: Head) -> dict[str, Any]:
    """Return the content of `session.yaml`, in the order of its keys. Empty values are left out."""
    session, info = head.session, head.session.info
    turn = session.turn or Turn()
    known = without_empty({
        "format": FORMAT,
        "agent": info.agent,
        "session": info.identity,
        "native": f"{info.agent}/{info.native_id}",
        **{name: getattr(info, name) for name in INFO_TEXTS},
        "roots": list(info.roots if info.roots != (info.cwd,) else ()),
        "models": list(info.models),
        "counts": without_empty({name: getattr(session.counts, name) for name in _COUNTS}),
        "tokens": without_empty({name: getattr(session.usage, name) for name in _TOKENS}),
        "redaction": dict(head.redaction),
        "turn": _turn_document(head.number, turn),
        "streams": [_stream_document(head, stream) for stream in session.streams],
        "carry": dict(session.carry),
        "withheld": [
            without_empty({"path": file.path, "reason": file.reason, "size": file.size})
            for file in session.files
        ],
        "withheld_more": head.withheld_more,
        "parts": dict(head.parts),
    })  # fmt: skip
    return with_unknown(known, {
        key: value for key, value in head.unknown.items() if key not in ("streams", "state.yaml")
    })  # fmt: skip


def _turn_document(number: int, turn: Turn) -> dict[str, Any]:
    return without_empty({
        "number": number,
        "kind": turn.kind,
        "finished": turn.finished or False,
        "prompt": turn.prompt,
        "time": turn.time,
        "messages": turn.messages,
        "rewound": turn.rewound or None,
    })  # fmt: skip


def _stream_document(head: Head, stream: Stream) -> dict[str, Any]:
    layout = head.layout(stream.name)
    known: dict[str, Any] = {
        "name": escape_stream(stream.name),
        "records": stream.count,
        "offset": stream.offset,
        "blobs": layout.blobs,
    }
    if layout.like_main:
        known["like_main"] = layout.like_main
    if layout.constants:
        known["constants"] = [{"from": start, **changed} for start, changed in layout.constants]
    return with_unknown(known, head.unknown.get("streams", {}).get(stream.name, {}))


def check_format(number: object, name: str) -> None:
    """Raise FormatError if `number` is not a format that this release can read."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise FormatError(f"{name} does not name its format")
    if number > FORMAT:
        raise FormatError(
            f"this version is written in format {number}; this release reads up to {FORMAT}",
            hint="update gitsession; nothing was changed",
        )


def head_from(document: Mapping[str, Any], state: Mapping[str, Any]) -> Head:
    """Return the Head described by the mappings of the two files. Raises FormatError."""
    check_format(document.get("format"), "session.yaml")
    fields = Fields(document, "session.yaml")
    streams, layouts, unknown_streams = _streams_from(fields)
    working, unknown_state = state_from(state)
    turn = fields.inner("turn")
    session = Session(
        info=_info_from(fields),
        streams=streams,
        files=tuple(
            File(item.text("path"), None, item.text("reason"), item.number("size"))
            for item in fields.each("withheld")[:WITHHELD]
        ),
        state=working,
        usage=Usage(*map(fields.inner("tokens").number, _TOKENS)),
        counts=Counts(*map(fields.inner("counts").number, _COUNTS)),
        carry=fields.mapping("carry"),
        turn=_turn_from(turn),
    )
    rest = fields.unknown(_SCHEMA)
    if unknown_streams:
        rest["streams"] = unknown_streams
    if unknown_state:
        rest["state.yaml"] = unknown_state
    redaction = fields.inner("redaction")
    parts = fields.inner("parts")
    return Head(
        session=session,
        number=turn.number("number"),
        layouts=layouts,
        redaction=without_empty({name: redaction.text(name) for name in ("rules", "key")}),
        parts={path: parts.number(path) for path in fields.mapping("parts")},
        withheld_more=fields.number("withheld_more"),
        unknown=rest,
    )


def _info_from(fields: Fields) -> Info:
    agent, native = fields.text("agent"), fields.text("native")
    cwd = fields.text("cwd")
    return Info(
        agent=agent,
        native_id=native.removeprefix(f"{agent}/"),
        identity=fields.text("session"),
        models=fields.texts("models"),
        roots=fields.texts("roots") or ((cwd,) if cwd else ()),
        **{name: fields.text(name) for name in INFO_TEXTS},
    )


def _turn_from(turn: Fields) -> Turn:
    return Turn(
        kind=turn.text("kind") or "turn",
        prompt=turn.text("prompt"),
        time=turn.text("time"),
        finished=turn.flag("finished", True),
        messages=turn.number("messages"),
        rewound=turn.flag("rewound"),
    )


def _streams_from(
    fields: Fields,
) -> tuple[tuple[Stream, ...], dict[str, Layout], dict[str, dict[str, Any]]]:
    streams = []
    layouts = {}
    rest = {}
    for item in fields.each("streams"):
        name = unescape(item.text("name"))
        streams.append(Stream(name, (), item.number("records"), item.number("offset")))
        ranges = tuple(
            (entry.number("from"), {key: entry.text(key) for key in entry.unknown({"from": None})})
            for entry in item.each("constants")
        )
        if len({key for _, changed in ranges for key in changed}) > CONSTANT_FIELDS:
            raise FormatError("a stream has more constants than a reader takes")
        layouts[name] = Layout(item.number("blobs"), ranges, item.number("like_main"))
        unknown = item.unknown(_STREAM)
        if unknown:
            rest[name] = unknown
    return tuple(streams), layouts, rest
