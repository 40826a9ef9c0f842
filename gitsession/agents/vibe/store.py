"""A session in Mistral Vibe's store: the newest generation of its history plus its journal.

The journal contains what was added since that generation.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.lenient import list_of, mapping_of, parse_line, text_of
from gitsession.files import is_regular, lines, read_range

Values = dict[str, Any]

CURRENT, META = "CURRENT", "meta.json"
_FORMAT = "mistral.vibe.unified-session-store/"
_LARGEST = 256 << 20
_GENERATION = re.compile(r"[0-9]{1,32}")
_CHUNK = re.compile(r"[0-9a-f]{64}")
_TAKEN = re.compile(
    rb'"import_provenance":\{[^{}]*"source":\{"backend":"legacy","session_id":"([0-9A-Za-z_-]{1,64})"'
)
_JOURNAL = re.compile(r"journal/[0-9]{1,32}\.jsonl")


def current(path: Path) -> Values:
    """Return the content of the file that names the newest generation; empty for any other file."""
    told = _document(path)
    return told if text_of(told.get("store_format")).startswith(_FORMAT) else {}


def meta(folder: Path) -> Values:
    """Return the folder, title and model of the session in a folder."""
    return _document(folder / META)


def taken_from(path: Path) -> str:
    """Return the id of the older-format session that this one was imported from, else ""."""
    generation = text_of(current(path).get("generation"))
    if not _GENERATION.fullmatch(generation):
        return ""
    state = path.parent / "generations" / generation / "runtime-state.json"
    if not is_regular(state):
        return ""
    found = _TAKEN.search(read_range(state, 0, min(os.path.getsize(state), _LARGEST)))
    return found[1].decode() if found else ""


def history(path: Path) -> tuple[list[Values], Values]:
    """Return all entries of the session that `path` (its CURRENT) represents, and its newest turn.

    Raises OSError if they cannot be read.
    """
    told, folder = current(path), path.parent
    generation = text_of(told.get("generation"))
    if not _GENERATION.fullmatch(generation):
        return [], {}
    place = folder / "generations" / generation
    manifest = _document(place / "manifest.json")
    stored = mapping_of(manifest.get("projection_state"))
    snapshot = mapping_of(_document(place / "projection-state.json").get("snapshot"))
    entries = [
        entry
        for name in list_of(stored.get("chunks"))
        if isinstance(name, str) and _CHUNK.fullmatch(name)
        for entry in _list(folder / "chunks" / f"{name}.json")
    ]
    entries += list_of(mapping_of(snapshot.get("history")).get("entries"))
    journal = text_of(mapping_of(manifest.get("recovery_journal_segment")).get("path"))
    found = [entry for entry in entries if isinstance(entry, dict)]
    turn = mapping_of(snapshot.get("latestTurn"))
    if _JOURNAL.fullmatch(journal):
        return _advanced(found, turn, _deltas(folder / journal))
    return found, turn


def _deltas(path: Path) -> Iterator[Values]:
    """Yield, in order, changes of the history that no generation contains yet."""
    if not is_regular(path):
        return
    for data in lines(path, 0, os.path.getsize(path)):
        for record in parse_line(data).objects:
            if record.get("type") == "projection_delta":
                changes = mapping_of(record.get("payload")).get("delta")
                yield from map(mapping_of, list_of(changes))


def _advanced(
    entries: list[Values], turn: Values, changes: Iterable[Values]
) -> tuple[list[Values], Values]:
    for change in changes:
        kind, name, entry = change.get("op"), change.get("id"), mapping_of(change.get("entry"))
        if kind == "append_entry" and entry:
            entries.append(entry)
        elif kind == "replace_entry" and entry:
            entries = [entry if one.get("id") == name else one for one in entries]
        elif kind == "remove_entry":
            entries = [one for one in entries if one.get("id") != name]
        elif kind == "set_history_entries":
            entries = [one for one in list_of(change.get("entries")) if isinstance(one, dict)]
        elif kind == "set_envelope":
            turn = mapping_of(mapping_of(change.get("state")).get("latestTurn"))
    return entries, turn


def _document(path: Path) -> Values:
    return mapping_of(_json(path))


def _list(path: Path) -> list[Any]:
    return list_of(_json(path))


def _json(path: Path) -> object:
    """Return a file's JSON value; None if the file is missing or not JSON."""
    if not is_regular(path):
        return None
    try:
        return json.loads(read_range(path, 0, min(os.path.getsize(path), _LARGEST)))
    except (ValueError, RecursionError):
        return None
