"""The files next to a Qwen Code session: its subagents' transcripts and their descriptions."""

from __future__ import annotations

import json
import os
import re

from gitsession.agents.lenient import compact, mapping_of
from gitsession.agents.side_streams import contents
from gitsession.files import is_regular
from gitsession.model.record import Sidecar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gitsession.agents.base import Source
    from gitsession.model.record import Stream

STREAM = re.compile(r"subagents/([0-9A-Za-z_][0-9A-Za-z_-]{0,99})")
META = re.compile(r"subagents/agent-[0-9A-Za-z_][0-9A-Za-z_-]{0,99}\.meta\.json")
_FILE = r"agent-([0-9A-Za-z_][0-9A-Za-z_-]{0,99})\.jsonl"
_SHARED = ("agentId", "agentType", "description", "createdAt", "parentAgentId", "toolUseId",
           "depth")  # fmt: skip


def folder(main: Path, native_id: str) -> Path:
    """Return where the subagents of the session in that file are."""
    return main.parent.parent / "subagents" / re.sub(r"[^0-9A-Za-z_-]", "_", native_id)


def streams(main: Path, native_id: str) -> dict[str, Path]:
    """Return `subagents/<id>` → file."""
    top = folder(main, native_id)
    try:
        names = sorted(os.listdir(top))
    except OSError:
        return {}
    found = ((re.fullmatch(_FILE, name), top / name) for name in names)
    return {f"subagents/{match[1]}": path for match, path in found if match and is_regular(path)}


class Metas:
    """The subagents' descriptions.

    They change while a subagent works, so they come with the last turn of a read.
    """

    def __init__(self, source: Source) -> None:
        self._size = source.size
        self._files = {
            name: path.with_suffix(".meta.json") for name, path in source.streams.items()
        }

    def take(self, sides: Iterable[Stream], end: int) -> tuple[Sidecar, ...]:
        if end < self._size:
            return ()
        begun = [side.name for side in sides if side.count or side.records]
        found = ((name, contents(self._files[name])) for name in begun)
        return tuple(
            Sidecar(f"subagents/agent-{name.rpartition('/')[2]}.meta.json", data)
            for name, data in found
            if data is not None
        )


def moved_meta(sidecar: Sidecar, native_id: str, *, foreign: bool) -> bytes:
    """Return a description that names the new session.

    None of its work continues there: a running subagent resumes only on request.
    """
    try:
        told = mapping_of(json.loads(sidecar.data))
    except (ValueError, RecursionError):
        told = {}
    if foreign:
        told = {key: told[key] for key in _SHARED if key in told}
    elif told.get("status") in ("running", "paused"):
        told = {**told, "status": "cancelled"}
    return compact({**told, "parentSessionId": native_id}).encode("utf-8", "replace")
