"""Long outputs of tools: OpenCode keeps them for a week in separate files, named in the session,
which itself shows only their beginning or end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gitsession.agents import whole_json
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.opencode.form import Values, message_in
from gitsession.agents.side_streams import contents
from gitsession.model.record import Sidecar
from gitsession.model.session import Session

FOLDER = "tool-output"
MARK = "truncated"
"""The kind of a marker in the state: a tool's output whose rest was gone at the source."""
_NAME = re.compile(r"tool_\w{8,60}")


class Outputs:
    """The outputs named by the turns of one read; a missing one stays marked from its turn on."""

    def __init__(self, data_folder: Path) -> None:
        self._folder = data_folder / FOLDER
        self._gone: list[Mapping[str, object]] = []

    def beside(self, session: Session) -> Session:
        """Return the turn with its long outputs as sidecars."""
        found: list[Sidecar] = []
        for name, call in _named(session):
            data = contents(self._folder / name)
            if data is None:
                self._gone.append({"kind": MARK, "calls": [call]})
            else:
                found.append(Sidecar(f"{FOLDER}/{name}", data))
        if self._gone:
            markers = (*session.state.markers, *self._gone)
            session = session._replace(state=session.state._replace(markers=markers))
        return session._replace(sidecars=(*session.sidecars, *found)) if found else session


def _named(session: Session) -> Iterator[tuple[str, str]]:
    """Yield the file name and call id of each output that is shown only in part."""
    for record in session.stream().records:
        if b'"outputPath"' not in record.data:
            continue
        message = message_in(whole_json.piece_of(record.data).value)
        for part in message[1] if message else ():
            name = output_name(part)
            if name:
                yield name, text_of(part.get("callID"))


def output_name(part: Values) -> str:
    """Return the name of the file with a tool's whole output, "" if there is none."""
    path = text_of(mapping_of(mapping_of(part.get("state")).get("metadata")).get("outputPath"))
    name = re.split(r"[/\\]", path)[-1]
    return name if _NAME.fullmatch(name) else ""


def kept(session: Session) -> dict[str, bytes]:
    """Return the stored outputs by file name; other sidecars are ignored."""
    found = {}
    for sidecar in session.sidecars:
        folder, _, name = sidecar.path.partition("/")
        if folder == FOLDER and _NAME.fullmatch(name):
            found[name] = sidecar.data
    return found


def moved(part: Values, path: str) -> Values:
    """Return a tool's part that names its output at a new location."""
    state = mapping_of(part.get("state"))
    old = text_of(mapping_of(state.get("metadata")).get("outputPath"))
    moved_state: Values = _replaced(state, old, path)
    return {**part, "state": moved_state}


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in list_of(value)]
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    return value
